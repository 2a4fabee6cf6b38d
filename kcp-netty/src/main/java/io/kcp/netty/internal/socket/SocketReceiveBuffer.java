package io.kcp.netty.internal.socket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * State of the receive buffer of a socket, as the kernel reports it. This class uses classes of the native transports, whose jars may be
 * missing.
 *
 * @param bytes       memory that the datagrams in the buffer occupy
 * @param limitBytes  maximum of {@code bytes}
 * @param drops       datagrams that were discarded because the buffer was full
 */
public record SocketReceiveBuffer(long bytes, long limitBytes, long drops) {

    // The numbers are the Linux constants SOL_SOCKET, SO_MEMINFO, SK_MEMINFO_RMEM_ALLOC, SK_MEMINFO_RCVBUF and SK_MEMINFO_DROPS.
    private static final int SOL_SOCKET = 1;
    private static final int SO_MEMINFO = 55;
    private static final int RMEM_ALLOC = 0;
    private static final int RCVBUF = 1;
    private static final int DROPS = 8;
    private static final RawUnixChannelOption MEMORY =
        new RawUnixChannelOption("SO_MEMINFO", SOL_SOCKET, SO_MEMINFO, (DROPS + 1) * Integer.BYTES);

    /**
     * Asks the kernel with one system call. Linux has this option since version 4.12.
     *
     * @param channel a channel of a native transport
     * @return the state, or null if the channel is closed or the kernel does not have the option
     */
    public static @Nullable SocketReceiveBuffer of(Channel channel) {
        try {
            ByteBuffer values = channel.config().getOption(MEMORY);
            if (values == null) {
                return null;
            }
            values.order(ByteOrder.nativeOrder());
            return new SocketReceiveBuffer(value(values, RMEM_ALLOC), value(values, RCVBUF), value(values, DROPS));
        } catch (ChannelException unsupported) {
            return null;
        }
    }

    private static long value(ByteBuffer values, int index) {
        return Integer.toUnsignedLong(values.getInt(index * Integer.BYTES));
    }
}
