package io.kcp.netty.internal.socket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Forbids routers to fragment the datagrams of a socket for the duration of one send. Other datagrams of the socket may be fragmented, so
 * that a path whose MTU shrinks does not lose them.
 *
 * <p>Requires a transport that sends a datagram during the flush, before the socket option is reset: epoll, or NIO on Java 19 and later
 * (socket option {@code IP_DONTFRAGMENT}). The io_uring transport sends datagrams later, and kqueue is not supported.
 */
public final class UnfragmentedSends {

    private static final String NIO_OPTION = "IP_DONTFRAGMENT";
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(UnfragmentedSends.class);

    private final DatagramChannel channel;
    /** The option of the JDK, or null for a socket of the epoll transport. */
    private final @Nullable ChannelOption<Boolean> nioOption;

    private UnfragmentedSends(DatagramChannel channel, @Nullable ChannelOption<Boolean> nioOption) {
        this.channel = channel;
        this.nioOption = nioOption;
    }

    /**
     * Returns an object for a socket, or null if fragmentation of its datagrams cannot be forbidden.
     *
     * @param channel a bound or connected channel
     */
    public static @Nullable UnfragmentedSends of(Channel channel) {
        UnfragmentedSends sends = null;
        if (channel instanceof NioDatagramChannel nio) {
            ChannelOption<Boolean> option = nioOption(nio);
            sends = option == null ? null : new UnfragmentedSends(nio, option);
        } else if (Epoll.isAvailable() && channel instanceof EpollDatagramChannel epoll) {
            sends = new UnfragmentedSends(epoll, null);
        }
        if (sends != null && sends.forbid()) {
            sends.allow();
            return sends;
        }
        LOGGER.debug("Cannot forbid the fragmentation of datagrams of {}, so its sessions do not search for a larger MTU", channel);
        return null;
    }

    @SuppressWarnings("unchecked")
    private static @Nullable ChannelOption<Boolean> nioOption(NioDatagramChannel channel) {
        try {
            for (ChannelOption<?> option : channel.config().getOptions().keySet()) {
                if (option.name().equals(NIO_OPTION)) {
                    return (ChannelOption<Boolean>) option;
                }
            }
        } catch (ChannelException closed) {
            LOGGER.trace("{} is closed", channel, closed);
        }
        return null;
    }

    /**
     * Forbids the fragmentation of the next datagrams.
     *
     * @return {@code true} if the operating system has accepted the option
     */
    public boolean forbid() {
        return nioOption == null ? IpFragmentation.forbid(channel) : setNioOption(nioOption, true);
    }

    /** Allows the fragmentation of the next datagrams. */
    public void allow() {
        if (nioOption == null) {
            IpFragmentation.allow(channel);
        } else {
            setNioOption(nioOption, false);
        }
    }

    private boolean setNioOption(ChannelOption<Boolean> option, boolean value) {
        try {
            return channel.config().setOption(option, value);
        } catch (ChannelException failed) {
            LOGGER.trace("{} does not support {} = {}", channel, option, value, failed);
            return false;
        }
    }
}
