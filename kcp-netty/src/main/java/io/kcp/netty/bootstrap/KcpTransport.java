package io.kcp.netty.bootstrap;

import io.kcp.netty.internal.socket.AdaptiveSpin;
import io.kcp.netty.internal.socket.MissingNatives;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.kqueue.KQueueDatagramChannel;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringIoHandler;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The Netty transports that KCP can use. The method {@link #best()} returns epoll on Linux, kqueue on macOS, and NIO otherwise. The
 * io_uring transport is used only if it is selected explicitly and its artifact is on the class path.
 */
public enum KcpTransport {
    /** The epoll transport of Linux. It transfers batches of datagrams per system call, and balances one port over several sockets. */
    EPOLL {
        @Override
        boolean isLoadable() {
            return Epoll.isAvailable();
        }

        @Override
        Throwable whyNot() {
            return Epoll.unavailabilityCause();
        }

        @Override
        IoHandlerFactory ioHandlerFactory(SelectStrategyFactory strategies) {
            return EpollIoHandler.newFactory(0, strategies);
        }

        @Override
        public ChannelFactory<? extends DatagramChannel> channelFactory() {
            return EpollDatagramChannel::new;
        }

        @Override
        Class<? extends IoHandler> ioHandlerType() {
            return EpollIoHandler.class;
        }

        @Override
        boolean balancesPort() {
            return true;
        }
    },
    /**
     * The io_uring transport of Linux, which is used only if it is selected explicitly. Requires {@code netty-transport-native-io_uring} on
     * the class path.
     */
    IO_URING {
        @Override
        boolean isLoadable() {
            return IoUring.isAvailable();
        }

        @Override
        Throwable whyNot() {
            return IoUring.unavailabilityCause();
        }

        @Override
        public IoHandlerFactory ioHandlerFactory() {
            return IoUringIoHandler.newFactory();
        }

        @Override
        public IoHandlerFactory sleepingIoHandlerFactory() {
            return IoUringIoHandler.newFactory();
        }

        @Override
        public ChannelFactory<? extends DatagramChannel> channelFactory() {
            return IoUringDatagramChannel::new;
        }

        @Override
        Class<? extends IoHandler> ioHandlerType() {
            return IoUringIoHandler.class;
        }

        @Override
        boolean balancesPort() {
            return true;
        }
    },
    /** The kqueue transport of macOS and BSD. Requires {@code netty-transport-native-kqueue} on the class path. */
    KQUEUE {
        @Override
        boolean isLoadable() {
            return KQueue.isAvailable();
        }

        @Override
        Throwable whyNot() {
            return KQueue.unavailabilityCause();
        }

        @Override
        IoHandlerFactory ioHandlerFactory(SelectStrategyFactory strategies) {
            return KQueueIoHandler.newFactory(0, strategies);
        }

        @Override
        public ChannelFactory<? extends DatagramChannel> channelFactory() {
            return KQueueDatagramChannel::new;
        }

        @Override
        Class<? extends IoHandler> ioHandlerType() {
            return KQueueIoHandler.class;
        }
    },
    /** The NIO transport, which is available on all platforms. */
    NIO {
        @Override
        boolean isLoadable() {
            return true;
        }

        @Override
        Throwable whyNot() {
            throw new IllegalStateException("NIO is always available");
        }

        @Override
        IoHandlerFactory ioHandlerFactory(SelectStrategyFactory strategies) {
            return NioIoHandler.newFactory(SelectorProvider.provider(), strategies);
        }

        @Override
        public ChannelFactory<? extends DatagramChannel> channelFactory() {
            return NioDatagramChannel::new;
        }

        @Override
        Class<? extends IoHandler> ioHandlerType() {
            return NioIoHandler.class;
        }
    };

    // SelectStrategy.BUSY_WAIT is not used, because it delays the timers of the event loop.
    private static final SelectStrategyFactory SPINNING = () -> (selectNow, hasTasks) -> selectNow.get();
    private static final SelectStrategyFactory ADAPTIVE = () -> new AdaptiveSpin(System::nanoTime);
    private static final List<KcpTransport> PREFERRED = List.of(EPOLL, KQUEUE, NIO);

    @SuppressWarnings("ImmutableEnumChecker") // computed once, on demand, because the check loads native libraries
    private volatile @Nullable Boolean available;

    abstract boolean isLoadable();

    abstract Throwable whyNot();

    /**
     * Returns the factory that creates event loops of this transport in a {@code MultiThreadIoEventLoopGroup}. Except with io_uring, these
     * event loops busy-poll for datagrams for up to 25 µs before they block, as long as nearly all waits are shorter than that. This makes
     * request-response traffic many times as fast, and does not change the cost of other traffic.
     *
     * @return a factory
     * @throws LinkageError if the transport is not available
     */
    public IoHandlerFactory ioHandlerFactory() {
        return ioHandlerFactory(ADAPTIVE);
    }

    /**
     * Returns a factory for event loops that, like Netty's own event loops, block as soon as there is nothing to do. They use the least CPU
     * time, and are intended for environments with a small CPU quota or with other programs that need the processors.
     *
     * @return a factory
     * @throws LinkageError if the transport is not available
     */
    public IoHandlerFactory sleepingIoHandlerFactory() {
        return ioHandlerFactory(DefaultSelectStrategyFactory.INSTANCE);
    }

    /**
     * Returns a factory for event loops that never block. They busy-poll for datagrams all the time and use one core each. A response is
     * sent in half the time, because no thread has to be woken.
     *
     * @return a factory
     * @throws UnsupportedOperationException if this transport is io_uring
     * @throws LinkageError                  if the transport is not available
     */
    public IoHandlerFactory spinningIoHandlerFactory() {
        return ioHandlerFactory(SPINNING);
    }

    IoHandlerFactory ioHandlerFactory(SelectStrategyFactory strategies) {
        throw new UnsupportedOperationException("event loops of " + this + " cannot busy-poll");
    }

    /**
     * Returns a factory for datagram channels that the event loops of this transport can serve. Use it for other datagram channels on the
     * same event loops, such as those of Netty's DNS resolver.
     *
     * @return a factory, which throws a {@code LinkageError} if the transport is not available
     */
    public abstract ChannelFactory<? extends DatagramChannel> channelFactory();

    abstract Class<? extends IoHandler> ioHandlerType();

    /** Returns {@code true} if the kernel distributes the peers of a port among all sockets that are bound to the port. */
    boolean balancesPort() {
        return false;
    }

    /**
     * Returns {@code true} if this transport supports this operating system and its jars are on the class path. The result never changes.
     *
     * @return {@code true} if sockets of this transport can be opened
     */
    public boolean isAvailable() {
        Boolean known = available;
        if (known == null) {
            // Caches the result, because this method is called for each socket and searching for a missing class is slow.
            known = isLoadableHere();
            available = known;
        }
        return known;
    }

    private boolean isLoadableHere() {
        try {
            return isLoadable();
        } catch (LinkageError artifactMissing) {
            return false;
        }
    }

    /**
     * Returns the best available transport other than io_uring. If this is NIO on an operating system with a better transport, the method
     * logs once why that transport is not available, and which artifact to add.
     *
     * @return epoll, kqueue or NIO
     */
    public static KcpTransport best() {
        KcpTransport best = PREFERRED.stream().filter(KcpTransport::isAvailable).findFirst().orElse(NIO);
        if (best == NIO) {
            MissingNatives.logOnce(EPOLL::whyNot, KQUEUE::whyNot);
        }
        return best;
    }

    /** Returns {@code true} if a channel can send several datagrams with one system call (GSO). */
    static boolean sendsRuns(Channel channel) {
        return EPOLL.isAvailable() && channel instanceof EpollDatagramChannel
            && EpollDatagramChannel.isSegmentedDatagramPacketSupported()
            || IO_URING.isAvailable() && channel instanceof IoUringDatagramChannel
            && IoUringDatagramChannel.isSegmentedDatagramPacketSupported();
    }

    /**
     * Returns the transport to which event loops belong.
     *
     * @param group the event loops, or one of them
     * @return the transport of the event loops
     * @throws IllegalArgumentException if the event loops belong to none of these transports
     */
    public static KcpTransport of(EventLoopGroup group) {
        if (group instanceof IoEventLoopGroup io) {
            for (KcpTransport transport : values()) {
                if (transport.isAvailable() && io.isIoType(transport.ioHandlerType())) {
                    return transport;
                }
            }
        }
        throw new IllegalArgumentException("group: " + group.getClass().getName()
            + " (expected: event loops for one of " + List.of(values()) + ", such as new MultiThreadIoEventLoopGroup("
            + "KcpTransport.best().ioHandlerFactory()))");
    }
}
