package io.kcp.netty.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.SocketProtocolFamily;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the socket options with which routers may fragment datagrams. */
@Tag("jdk")
class IpFragmentationTest {

    @ParameterizedTest
    @EnumSource(names = {"INET", "INET6"})
    void routersMayFragmentTheDatagramsOfTheSocket(SocketProtocolFamily family) throws Exception {
        assumeTrue(Epoll.isAvailable(), "the options need the native library of epoll");
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            EpollDatagramChannel channel = (EpollDatagramChannel) new Bootstrap().group(group)
                .channelFactory(() -> new EpollDatagramChannel(family)).handler(new ChannelHandlerAdapter() { })
                .bind(new InetSocketAddress(family == SocketProtocolFamily.INET ? "127.0.0.1" : "::1", 0)).sync().channel();
            IpFragmentation.allow(channel);
            assertThat(channel.config().getOption(IpFragmentation.IP_MTU_DISCOVER)).isEqualTo(IpFragmentation.PMTUDISC_OMIT);
            if (family == SocketProtocolFamily.INET6) {
                assertThat(channel.config().getOption(IpFragmentation.IPV6_MTU_DISCOVER)).isEqualTo(IpFragmentation.PMTUDISC_DONT);
            }
            UnfragmentedSends sends = UnfragmentedSends.of(channel);
            assertThat(sends).isNotNull();
            assertThat(channel.config().getOption(IpFragmentation.IP_MTU_DISCOVER)).isEqualTo(IpFragmentation.PMTUDISC_OMIT);
            assertThat(sends.forbid()).isTrue();
            assertThat(channel.config().getOption(IpFragmentation.IP_MTU_DISCOVER)).isEqualTo(IpFragmentation.PMTUDISC_PROBE);
            if (family == SocketProtocolFamily.INET6) {
                assertThat(channel.config().getOption(IpFragmentation.IPV6_MTU_DISCOVER)).isEqualTo(IpFragmentation.PMTUDISC_PROBE);
            }
            sends.allow();
            assertThat(channel.config().getOption(IpFragmentation.IP_MTU_DISCOVER)).isEqualTo(IpFragmentation.PMTUDISC_OMIT);
            channel.close().sync();
            assertThat(UnfragmentedSends.of(channel)).as("closed").isNull();
        } finally {
            group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
        }
    }
}
