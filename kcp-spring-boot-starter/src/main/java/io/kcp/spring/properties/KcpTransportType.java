package io.kcp.spring.properties;

import io.kcp.netty.bootstrap.KcpTransport;

/** Netty transport that the sockets use. */
public enum KcpTransportType {
    /** Selects the best available transport, which is epoll on Linux, kqueue on macOS and otherwise NIO. */
    AUTO,
    /** The epoll transport, which requires Linux. */
    EPOLL,
    /** The io_uring transport, which requires Linux and {@code netty-transport-native-io_uring} on the class path. */
    IO_URING,
    /** The kqueue transport, which requires macOS or BSD and {@code netty-transport-native-kqueue} on the class path. */
    KQUEUE,
    /** The NIO transport, which works on all platforms. */
    NIO;

    KcpTransport transport() {
        return this == AUTO ? KcpTransport.best() : KcpTransport.valueOf(name());
    }
}
