package io.kcp.netty.reconnect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.core.KcpConfig;
import io.kcp.netty.EchoHandler;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.LossyRelay;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Without roaming, a client whose NAT assigns a new port loses its session with a reason, and {@link KcpReconnect} opens another one. */
@Timeout(60)
class ReconnectAfterRebindTest {

    private static final Duration PATIENCE = Duration.ofSeconds(Loopback.PATIENCE_S);

    private final EventRecorder events = new EventRecorder();
    private final List<KcpChannel> accepted = new CopyOnWriteArrayList<>();
    private final List<String> echoes = new CopyOnWriteArrayList<>();

    /** Sends a greeting when a session opens, and records the responses. */
    @ChannelHandler.Sharable
    private final class Greeting extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            write((KcpChannel) context.channel(), "hello");
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            echoes.add(message.toString(StandardCharsets.US_ASCII));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // Ignores the failure, because the listener records it.
        }
    }

    private static void write(KcpChannel session, String message) {
        session.writeAndFlush(session.alloc().buffer().writeBytes(message.getBytes(StandardCharsets.US_ASCII)));
    }

    private static KcpCloseReason reason(Throwable cause) {
        assertThat(cause).isInstanceOf(KcpCloseException.class);
        return ((KcpCloseException) cause).reason();
    }

    @Test
    void clientReconnectsAfterARebind() throws Exception {
        KcpConfig config = KcpConfig.fast3().toBuilder().deadPeerTimeoutMs(1_000).build();
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    accepted.add(session);
                    session.pipeline().addLast(EchoHandler.INSTANCE);
                }
            }).config(config).childOption(KcpChannelOption.KEEPALIVE_MS, 1_000));
            try (LossyRelay relay = LossyRelay.start(server.localAddress(), LinkProfile.builder().build(), 1)) {
                KcpReconnect reconnect = KcpReconnect.to(loopback.client(new Greeting()).config(config), relay::address)
                    .keepalive(Duration.ofSeconds(1)).deadPeerTimeout(Duration.ofSeconds(1)).firstDelay(Duration.ofMillis(10))
                    .listener(events).start();
                events.next("opened");
                KcpChannel first = events.next("established").session();
                await().atMost(PATIENCE).until(() -> echoes.size() == 1);
                relay.rebind();
                write(first, "lost");

                EventRecorder.Event lost = events.next("lost");
                assertThat(lost.session()).isSameAs(first);
                assertThat(reason(lost.cause())).isEqualTo(KcpCloseReason.PEER_TIMEOUT);
                assertThat(reason(events.next("retry").cause())).isEqualTo(KcpCloseReason.PEER_TIMEOUT);
                events.next("opened");
                KcpChannel second = events.next("established").session();
                assertThat(second).isNotSameAs(first).isSameAs(reconnect.session());
                write(second, "again");
                await().atMost(PATIENCE).until(() -> echoes.contains("again"));

                assertThat(echoes).containsExactly("hello", "hello", "again");
                assertThat(accepted).hasSize(2);
                Loopback.ended(accepted.get(0).closeFuture());
                assertThat(reason(accepted.get(0).closeCause())).isEqualTo(KcpCloseReason.PEER_TIMEOUT);
                assertThat(accepted.get(1).isActive()).isTrue();
                Loopback.ended(reconnect.close());
                events.next("ended");
            }
            events.sessions().forEach(session -> Loopback.ended(session.datagramChannel().closeFuture()));
        }
    }
}
