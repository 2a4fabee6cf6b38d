/** KCP sessions as Netty channels. */
@SuppressWarnings("requires-automatic")
module io.kcp.netty {
    requires transitive io.kcp.core;
    requires transitive io.kcp.streams;
    requires transitive io.netty.transport;
    requires transitive io.netty.common;
    requires transitive io.netty.resolver;
    requires io.netty.transport.unix.common;
    requires io.netty.transport.classes.epoll;
    requires static io.netty.transport.classes.kqueue;
    requires static io.netty.transport.classes.io_uring;
    requires static io.netty.codec;
    requires static io.netty.handler;
    requires static jdk.jfr;
    requires static micrometer.core;
    requires static org.jspecify;

    exports io.kcp.netty;
    exports io.kcp.netty.blocking;
    exports io.kcp.netty.bootstrap;
    exports io.kcp.netty.metrics;
    exports io.kcp.netty.reconnect;
    exports io.kcp.netty.registry;
    exports io.kcp.netty.tls;
}
