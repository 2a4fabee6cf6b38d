/** Streams and packets over one connection of any kind. */
@SuppressWarnings("module") // io.kcp.netty is compiled after this module
module io.kcp.streams {
    requires transitive io.netty.transport;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires static org.jspecify;

    exports io.kcp.netty.internal.base to io.kcp.netty;
    exports io.kcp.netty.packet;
    exports io.kcp.netty.smux;
}
