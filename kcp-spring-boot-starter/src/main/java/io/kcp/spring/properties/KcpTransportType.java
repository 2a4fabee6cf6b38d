package io.kcp.spring.properties;

import io.kcp.netty.KcpTransport;

/** Kinds of sockets. */
public enum KcpTransportType {
    /** The best that works here: epoll on Linux, kqueue on macOS, else NIO. */
    AUTO,
    /** Linux. */
    EPOLL,
    /** Linux, with {@code netty-transport-native-io_uring} on the class path. */
    IO_URING,
    /** macOS and BSD, with {@code netty-transport-native-kqueue} on the class path. */
    KQUEUE,
    /** Everywhere. */
    NIO;

    KcpTransport transport() {
        return this == AUTO ? KcpTransport.best() : KcpTransport.valueOf(name());
    }
}
