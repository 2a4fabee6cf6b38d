/** The KCP protocol machine, without I/O. */
module io.kcp.core {
    requires transitive io.netty.buffer;
    requires static org.bouncycastle.provider;
    requires static org.jspecify;

    exports io.kcp.core;
    exports io.kcp.core.crypto;
    exports io.kcp.core.fec;
}
