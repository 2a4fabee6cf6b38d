/** The KCP protocol as a state machine without I/O. */
@SuppressWarnings("module") // the other modules are compiled after this module
module io.kcp.core {
    requires transitive io.netty.buffer;
    requires static org.bouncycastle.provider;
    requires static org.jspecify;

    exports io.kcp.core;
    exports io.kcp.core.conversation;
    exports io.kcp.core.crypto;
    exports io.kcp.core.fec;
    exports io.kcp.core.internal.base to io.kcp.testkit;
    exports io.kcp.core.internal.datagram to io.kcp.netty, io.kcp.testkit;
    exports io.kcp.core.internal.hash to io.kcp.netty;
    exports io.kcp.core.internal.memory to io.kcp.netty;
    exports io.kcp.core.internal.reedsolomon to io.kcp.bench;
    exports io.kcp.core.internal.send to io.kcp.netty;
}
