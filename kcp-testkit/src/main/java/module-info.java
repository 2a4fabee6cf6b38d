/** Simulated and lossy networks for tests. */
module io.kcp.testkit {
    requires transitive io.kcp.core;
    requires transitive io.netty.transport;
    requires io.netty.common;
    requires static org.jspecify;

    exports io.kcp.testkit;
}
