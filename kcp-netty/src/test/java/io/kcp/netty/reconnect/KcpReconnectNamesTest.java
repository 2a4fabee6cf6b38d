package io.kcp.netty.reconnect;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.netty.AskedNames;
import io.kcp.netty.EchoHandler;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests reconnecting to a server name whose address changes. */
@Timeout(60)
class KcpReconnectNamesTest {

    private static final int PATIENCE_S = 30;

    /** A resolver whose requests the test resolves. */
    private static final class Directory extends AskedNames {

        private final BlockingQueue<Promise<InetSocketAddress>> asked = new LinkedBlockingQueue<>();

        @Override
        protected void onAsked(EventExecutor executor, Promise<InetSocketAddress> answer) {
            asked.add(answer);
        }

        Promise<InetSocketAddress> next() throws InterruptedException {
            return Objects.requireNonNull(asked.poll(PATIENCE_S, TimeUnit.SECONDS), "nobody asked");
        }
    }

    /** Writes one byte when the session becomes active, because the server responds only then. */
    @ChannelHandler.Sharable
    private static final class Hello extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(context.alloc().buffer().writeByte('x'));
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            // Ignores the content, because only the arrival of the response matters.
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // Ignores the failure, because the listener records it.
        }
    }

    @Test
    void aNameIsResolvedAnewForEachAttemptAndTheLoopGoesOnMeanwhile() throws Exception {
        try (Loopback network = new Loopback(KcpTransport.best(), 1)) {
            List<KcpServerChannel> servers = List.of(network.bind(EchoHandler.INSTANCE), network.bind(EchoHandler.INSTANCE));
            EventRecorder events = new EventRecorder();
            Directory directory = new Directory();
            KcpReconnect reconnect = KcpReconnect.to(network.client(new Hello()).config(KcpConfig.fast3()).resolver(directory),
                () -> InetSocketAddress.createUnresolved("game.example", 9)).firstDelay(Duration.ofMillis(1)).listener(events).start();
            for (KcpServerChannel server : servers) {
                Promise<InetSocketAddress> answer = directory.next();
                assertThat(network.group().next().submit(() -> "free").get(PATIENCE_S, TimeUnit.SECONDS)).isEqualTo("free");
                answer.setSuccess(server.localAddress());
                KcpChannel session = events.next("opened").session();
                assertThat(session.remoteAddress()).isEqualTo(server.localAddress());
                assertThat(events.next("established").session()).isSameAs(session);
                Loopback.done(session.datagramChannel().close());
                events.next("lost");
                events.next("retry");
            }
            directory.next().setFailure(new IllegalStateException("no such name"));
            events.next("retry");
            directory.next();
            reconnect.close();
            Loopback.ended(reconnect.ended());
            assertThat(directory.asked).isEmpty();
        }
    }

    @Test
    void closingWhileANameIsResolvedEndsTheAttempts() throws Exception {
        try (Loopback network = new Loopback(KcpTransport.best(), 1)) {
            Directory directory = new Directory();
            KcpReconnect reconnect = KcpReconnect.to(network.client(new Hello()).config(KcpConfig.fast3()).resolver(directory),
                () -> InetSocketAddress.createUnresolved("game.example", 9)).firstDelay(Duration.ofMillis(1)).start();
            directory.next();
            reconnect.close();
            Loopback.ended(reconnect.ended());
            assertThat(directory.asked).isEmpty();
        }
    }
}
