package io.kcp.spring.properties;

import io.kcp.netty.KcpTransport;

/** Transports of sockets. */
public enum KcpTransportType {
    /** The best available transport: epoll on Linux, kqueue on macOS, otherwise NIO. */
    AUTO,
    /** epoll, on Linux. */
    EPOLL,
    /** io_uring, on Linux with {@code netty-transport-native-io_uring} on the class path. */
    IO_URING,
    /** kqueue, on macOS and BSD with {@code netty-transport-native-kqueue} on the class path. */
    KQUEUE,
    /** NIO, on all platforms. */
    NIO;

    KcpTransport transport() {
        return this == AUTO ? KcpTransport.best() : KcpTransport.valueOf(name());
    }
}
