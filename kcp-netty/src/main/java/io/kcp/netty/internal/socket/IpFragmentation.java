package io.kcp.netty.internal.socket;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

/** Sets the socket options that control IP fragmentation. This class uses classes of the native transports, whose jars may be missing. */
public final class IpFragmentation {

    // The numbers are the Linux constants IPPROTO_IP, IPPROTO_IPV6, IP_MTU_DISCOVER, IPV6_MTU_DISCOVER, IP_PMTUDISC_DONT (which
    // equals IPV6_PMTUDISC_DONT), IP_PMTUDISC_PROBE (which equals IPV6_PMTUDISC_PROBE) and IP_PMTUDISC_OMIT.
    static final ChannelOption<Integer> IP_MTU_DISCOVER = new IntegerUnixChannelOption("IP_MTU_DISCOVER", 0, 10);
    static final ChannelOption<Integer> IPV6_MTU_DISCOVER = new IntegerUnixChannelOption("IPV6_MTU_DISCOVER", 41, 23);
    static final int PMTUDISC_DONT = 0;
    static final int PMTUDISC_PROBE = 3;
    static final int PMTUDISC_OMIT = 5;
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(IpFragmentation.class);

    private IpFragmentation() {
    }

    /**
     * Allows routers to fragment the datagrams of a socket. Linux forbids fragmentation by default, so a path with a smaller MTU loses all
     * large datagrams if the ICMP messages of its routers are lost. Does nothing on operating systems other than Linux.
     *
     * <p>With IPv4, the kernel also ignores ICMP messages about the MTU. Routers do not send such messages for datagrams that they may
     * fragment, but an attacker could forge them, which would prevent GSO and reduce the MTU of sessions. With IPv6, the kernel needs these
     * messages, because routers never fragment.
     *
     * @param channel a bound channel of a native transport
     */
    public static void allow(DatagramChannel channel) {
        if (PlatformDependent.normalizedOs().equals("linux")) {
            if (!isSet(channel, IP_MTU_DISCOVER, PMTUDISC_OMIT)) {
                isSet(channel, IP_MTU_DISCOVER, PMTUDISC_DONT);
            }
            isSet(channel, IPV6_MTU_DISCOVER, PMTUDISC_DONT);
        }
    }

    /**
     * Forbids routers to fragment the datagrams of a socket until {@link #allow} is called. The kernel then ignores the MTU that it knows
     * of the path, and refuses only datagrams that exceed the MTU of the network interface.
     *
     * @param channel a bound or connected channel of a native transport
     * @return {@code true} if the socket has the option for IPv4; {@code false} on operating systems other than Linux
     */
    static boolean forbid(DatagramChannel channel) {
        if (!PlatformDependent.normalizedOs().equals("linux")) {
            return false;
        }
        isSet(channel, IPV6_MTU_DISCOVER, PMTUDISC_PROBE);
        return isSet(channel, IP_MTU_DISCOVER, PMTUDISC_PROBE);
    }

    /** Sets an option, and returns {@code true} if the socket supports it. */
    private static boolean isSet(DatagramChannel channel, ChannelOption<Integer> option, int value) {
        try {
            channel.config().setOption(option, value);
            return true;
        } catch (ChannelException unsupported) {
            // An IPv4 socket does not support the option of IPv6, and a closed socket supports none. PMTUDISC_OMIT needs Linux 3.15.
            LOGGER.trace("{} does not support {} = {}", channel, option, value, unsupported);
            return false;
        }
    }
}
