package io.kcp.spring.properties;

import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.IoHandlerFactory;

/** Strategy that event loops use to wait for datagrams. */
public enum KcpLoops {
    /** Busy-polls for up to 25 µs before blocking, as long as nearly all recent waits were shorter. */
    ADAPTIVE,
    /** Blocks without busy-polling, which suits a limited CPU quota. */
    SLEEPING,
    /** Busy-polls continuously, which occupies one core per event loop. */
    SPINNING;

    IoHandlerFactory ioHandlerFactory(KcpTransport transport) {
        return switch (this) {
            case ADAPTIVE -> transport.ioHandlerFactory();
            case SLEEPING -> transport.sleepingIoHandlerFactory();
            case SPINNING -> transport.spinningIoHandlerFactory();
        };
    }
}
