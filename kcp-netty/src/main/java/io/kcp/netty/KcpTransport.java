package io.kcp.netty;

import io.kcp.netty.socket.AdaptiveSpin;
import io.kcp.netty.socket.MissingNatives;
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
 * The kinds of sockets that Netty offers, and what KCP can use of each. {@link #best()} is epoll on Linux, kqueue on
 * macOS, else NIO; io_uring is used when it is asked for and its artifact is there.
 */
public enum KcpTransport {
    /** Linux, with batches of datagrams per system call; balances one port over many sockets. */
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
    /** Linux, opt-in: needs {@code netty-transport-native-io_uring} on the class path. */
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
    /** macOS and BSD: needs {@code netty-transport-native-kqueue} on the class path. */
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
    /** Everywhere. */
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

    // Not SelectStrategy.BUSY_WAIT: timers are late while that waits.
    private static final SelectStrategyFactory SPINNING = () -> (selectNow, hasTasks) -> selectNow.get();
    private static final SelectStrategyFactory ADAPTIVE = () -> new AdaptiveSpin(System::nanoTime);
    private static final List<KcpTransport> PREFERRED = List.of(EPOLL, KQUEUE, NIO);

    @SuppressWarnings("ImmutableEnumChecker") // computed once, on demand: asking loads native libraries
    private volatile @Nullable Boolean available;

    abstract boolean isLoadable();

    abstract Throwable whyNot();

    /**
     * Makes event loops for this transport: {@code new MultiThreadIoEventLoopGroup(transport.ioHandlerFactory())}. Before they
     * sleep, but for those of io_uring, they look for datagrams for up to 50 µs more, as long as nearly all waits end sooner:
     * conversations that ask and answer are then many times as fast, and others cost what they did.
     *
     * @return a factory
     * @throws LinkageError if the transport is not available
     */
    public IoHandlerFactory ioHandlerFactory() {
        return ioHandlerFactory(ADAPTIVE);
    }

    /**
     * Makes event loops that sleep as soon as there is nothing to do, as Netty's own do. They cost the least, where a quota of CPU
     * is small, or others need the processors.
     *
     * @return a factory
     * @throws LinkageError if the transport is not available
     */
    public IoHandlerFactory sleepingIoHandlerFactory() {
        return ioHandlerFactory(DefaultSelectStrategyFactory.INSTANCE);
    }

    /**
     * Makes event loops that never sleep: they look for datagrams all the time, and take a core each. An answer is out in half
     * the time, as nobody has to be woken.
     *
     * @return a factory
     * @throws UnsupportedOperationException if this is io_uring
     * @throws LinkageError                  if the transport is not available
     */
    public IoHandlerFactory spinningIoHandlerFactory() {
        return ioHandlerFactory(SPINNING);
    }

    IoHandlerFactory ioHandlerFactory(SelectStrategyFactory strategies) {
        throw new UnsupportedOperationException("loops of " + this + " cannot spin");
    }

    /**
     * Makes datagram channels that the event loops of this transport can serve; for what else runs on them, such as Netty's DNS
     * resolver.
     *
     * @return a factory, which throws a {@code LinkageError} if the transport is not available
     */
    public abstract ChannelFactory<? extends DatagramChannel> channelFactory();

    abstract Class<? extends IoHandler> ioHandlerType();

    /** Whether the kernel spreads the peers of one port over all sockets that share it. */
    boolean balancesPort() {
        return false;
    }

    /**
     * Returns {@code true} if this transport works here: on this operating system, with the jars on the class path. The answer never
     * changes.
     *
     * @return {@code true} if sockets of this transport can be opened
     */
    public boolean isAvailable() {
        Boolean known = available;
        if (known == null) {
            // Asked for each socket; a class that is missing is searched for each time.
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
     * Picks the best transport that is available, without io_uring. If that is NIO where the operating system has a better one, logs
     * once why, and which artifact to add.
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

    /** Whether a channel can send a run of datagrams as one. */
    static boolean sendsRuns(Channel channel) {
        return EPOLL.isAvailable() && channel instanceof EpollDatagramChannel
            && EpollDatagramChannel.isSegmentedDatagramPacketSupported()
            || IO_URING.isAvailable() && channel instanceof IoUringDatagramChannel
            && IoUringDatagramChannel.isSegmentedDatagramPacketSupported();
    }

    /**
     * Tells which transport event loops are for.
     *
     * @param group the loops, or one of them
     * @return their transport
     * @throws IllegalArgumentException if they are for none of these
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
            + " (expected: loops for one of " + List.of(values()) + ", such as new MultiThreadIoEventLoopGroup("
            + "KcpTransport.best().ioHandlerFactory()))");
    }
}
