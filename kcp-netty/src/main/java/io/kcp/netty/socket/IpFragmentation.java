package io.kcp.netty.socket;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

/** Sets the socket options that control IP fragmentation. This class uses classes of the native transports, whose jars may be missing. */
public final class IpFragmentation {

    // The numbers are the Linux constants IPPROTO_IP, IPPROTO_IPV6, IP_MTU_DISCOVER, IPV6_MTU_DISCOVER and IP_PMTUDISC_DONT.
    static final ChannelOption<Integer> IP_MTU_DISCOVER = new IntegerUnixChannelOption("IP_MTU_DISCOVER", 0, 10);
    static final ChannelOption<Integer> IPV6_MTU_DISCOVER = new IntegerUnixChannelOption("IPV6_MTU_DISCOVER", 41, 23);
    static final int PMTUDISC_DONT = 0;
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(IpFragmentation.class);

    private IpFragmentation() {
    }

    /**
     * Allows routers to fragment the datagrams of a socket. Linux forbids fragmentation by default, so a path with a smaller MTU loses all
     * large datagrams if the ICMP messages of its routers are lost. Does nothing on operating systems other than Linux.
     *
     * @param channel a bound channel of a native transport
     */
    public static void allow(DatagramChannel channel) {
        if (PlatformDependent.normalizedOs().equals("linux")) {
            setIfSupported(channel, IP_MTU_DISCOVER);
            setIfSupported(channel, IPV6_MTU_DISCOVER);
        }
    }

    private static void setIfSupported(DatagramChannel channel, ChannelOption<Integer> option) {
        try {
            channel.config().setOption(option, PMTUDISC_DONT);
        } catch (ChannelException unsupported) {
            // An IPv4 socket does not support the option of IPv6, and a closed socket supports none.
            LOGGER.trace("{} does not support {}", channel, option, unsupported);
        }
    }
}
