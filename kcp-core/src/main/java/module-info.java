/** The KCP protocol as a state machine without I/O. */
@SuppressWarnings("module") // io.kcp.netty and io.kcp.bench are compiled after this module
module io.kcp.core {
    requires transitive io.netty.buffer;
    requires static org.bouncycastle.provider;
    requires static org.jspecify;

    exports io.kcp.core;
    exports io.kcp.core.crypto;
    exports io.kcp.core.fec;
    exports io.kcp.core.hash to io.kcp.netty;
    exports io.kcp.core.reedsolomon to io.kcp.bench;
}
