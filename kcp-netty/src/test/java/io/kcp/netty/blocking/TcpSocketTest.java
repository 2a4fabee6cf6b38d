package io.kcp.netty.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.nio.channels.ClosedChannelException;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests blocking sockets on a channel other than a KCP session, whose two directions can be ended separately. */
@Timeout(60)
@Tag("jdk")
class TcpSocketTest {

    @Test
    void shutdownOutputEndsTheDataOfThePeer() throws Exception {
        byte[] content = new byte[3_000_000];
        new SplittableRandom(9).nextBytes(content);
        try (TcpPair pair = new TcpPair()) {
            Blocked<Integer> writer = Blocked.start(() -> {
                pair.client.getOutputStream().write(content);
                pair.client.shutdownOutput();
                return content.length;
            });
            assertThat(pair.accepted.getInputStream().readAllBytes()).isEqualTo(content);
            assertThat(writer.result()).isEqualTo(content.length);
            assertThat(pair.accepted.getInputStream().read()).isEqualTo(-1);
            assertThatThrownBy(() -> pair.client.getOutputStream().write(1)).isInstanceOf(KcpSocketException.class)
                .hasMessageContaining("shut down");

            pair.accepted.getOutputStream().write(content);
            pair.accepted.shutdownOutput();
            assertThat(pair.client.getInputStream().readAllBytes()).isEqualTo(content);
            assertThat(pair.client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void closeSendsStoredData() throws Exception {
        byte[] content = new byte[3_000_000];
        new SplittableRandom(8).nextBytes(content);
        try (TcpPair pair = new TcpPair()) {
            Blocked<byte[]> reader = Blocked.start(() -> pair.accepted.getInputStream().readAllBytes());
            pair.client.getOutputStream().write(content);
            pair.client.close();
            assertThat(reader.result()).isEqualTo(content);
        }
    }

    @Test
    void closeOfThePeerIsTheEndOfItsData() throws Exception {
        try (TcpPair pair = new TcpPair()) {
            Blocked<Integer> reader = Blocked.untilBlocked(() -> pair.accepted.getInputStream().read());
            pair.client.close();
            assertThat(reader.result()).isEqualTo(-1);
        }
    }

    @Test
    void resetIsReportedAsAFailure() throws Exception {
        try (TcpPair pair = new TcpPair()) {
            Blocked<Integer> reader = Blocked.untilBlocked(() -> pair.accepted.getInputStream().read());
            pair.client.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            pair.client.close();
            assertThat(reader.failure()).isInstanceOf(KcpSocketException.class);
        }
    }

    @Test
    void closedSocketCannotShutDownItsOutput() throws Exception {
        try (TcpPair pair = new TcpPair()) {
            pair.client.close();
            assertThatThrownBy(() -> pair.client.shutdownOutput()).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void wrappingAClosedChannelReturnsAClosedSocket() throws Exception {
        try (TcpPair pair = new TcpPair()) {
            BlockingPair.closed(pair.client);
            KcpSocket late = KcpSocket.wrap(pair.client.channel());
            assertThatThrownBy(() -> late.getInputStream().read()).isInstanceOf(ClosedChannelException.class);
            assertThatThrownBy(() -> late.getOutputStream().write(1)).isInstanceOf(ClosedChannelException.class);
            late.close();
        }
    }

    @Test
    void wrappingAChannelWhosePipelineIsBeingDestroyedReturnsAClosedSocket() throws Exception {
        try (TcpPair pair = new TcpPair()) {
            CountDownLatch inactive = new CountDownLatch(1);
            CountDownLatch wrapped = new CountDownLatch(1);
            Channel channel = pair.client.channel();
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelInactive(ChannelHandlerContext context) throws Exception {
                    inactive.countDown();
                    wrapped.await();
                }
            });
            channel.close();
            inactive.await();
            KcpSocket late = KcpSocket.wrap(channel);
            wrapped.countDown();
            late.setSoTimeout(30_000);
            assertThatThrownBy(() -> late.getInputStream().read()).isInstanceOf(ClosedChannelException.class);
            late.close();
        }
    }
}
