package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reflects encrypted datagrams on real sockets, to sessions created by the bootstraps. */
@Timeout(60)
class LoopbackReflectionTest {

    private static final int ATTACKING_SOCKETS = 32;

    /** Returns every datagram to its sender. */
    private static final class Reflector extends SimpleChannelInboundHandler<DatagramPacket> {

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
            ctx.writeAndFlush(new DatagramPacket(packet.content().retain(), packet.sender()), ctx.voidPromise());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"aes-128-gcm", "chacha20-poly1305", "aes", "salsa20", "none"})
    void clientDoesNotMistakeAReflectorForItsServer(String cipher) {
        try (Loopback loopback = new Loopback(KcpTransport.NIO, 1)) {
            Channel reflector = loopback.datagramChannel(new Reflector());
            MessageCollector messages = new MessageCollector();
            KcpChannel client = loopback.connect(loopback.client(messages).config(KcpConfig.fast3())
                .crypto(CryptoConfig.kcptun(cipher, "k")), (InetSocketAddress) reflector.localAddress());
            for (int i = 0; i < 3; i++) {
                client.writeAndFlush(ByteBufUtil.writeAscii(client.alloc(), "mine" + i));
            }
            ChannelFuture acknowledged = client.acknowledged();
            ChannelFuture closed = client.close();
            assertThat(Loopback.ended(closed).cause()).isInstanceOf(KcpCloseException.class);
            assertThat(Loopback.ended(acknowledged).isSuccess()).isFalse();
            assertThat(messages.waiting()).isZero();
        }
    }

    /** The kernel distributes the attacker's addresses over the server's sockets, so each must recognise datagrams sealed by another. */
    @Test
    void everySocketRecognisesReflectedAnswersOfItsServer() throws IOException, InterruptedException {
        CryptoConfig crypto = CryptoConfig.kcptun("aes-128-gcm", "k");
        List<byte[]> answers = new CopyOnWriteArrayList<>();
        try (Loopback loopback = new Loopback(KcpTransport.best(), 3)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE).config(KcpConfig.fast3()).crypto(crypto));
            Recorder recorder = new Recorder(loopback, server.localAddress(), answers);
            MessageCollector messages = new MessageCollector();
            KcpChannel client = loopback.connect(loopback.client(messages).config(KcpConfig.fast3()).crypto(crypto),
                recorder.address());
            for (int i = 0; i < 5; i++) {
                client.writeAndFlush(ByteBufUtil.writeAscii(client.alloc(), "m" + i));
                assertThat(messages.next()).isEqualTo("m" + i);
            }
            List<byte[]> recorded = List.copyOf(answers);
            for (int i = 0; i < ATTACKING_SOCKETS; i++) {
                try (DatagramSocket attacker = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
                    for (byte[] datagram : recorded) {
                        attacker.send(new java.net.DatagramPacket(datagram, datagram.length, server.localAddress()));
                    }
                }
            }
            long expected = (long) ATTACKING_SOCKETS * recorded.size();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Loopback.PATIENCE_S);
            KcpListenerStats stats = Loopback.result(server.collectStats());
            while (stats.dropped().getOrDefault(DropReason.REFLECTED, 0L) < expected && System.nanoTime() < deadline) {
                stats = Loopback.result(server.collectStats());
            }
            assertThat(stats.dropped()).containsOnlyKeys(DropReason.REFLECTED).containsEntry(DropReason.REFLECTED, expected);
            assertThat(stats.openedSessions()).isEqualTo(1);
        }
    }

    /** Forwards datagrams between a client and a server and keeps copies of the server's datagrams. */
    private static final class Recorder {

        private final Channel toClient;
        private final Channel toServer;
        private volatile InetSocketAddress client;

        Recorder(Loopback loopback, InetSocketAddress server, List<byte[]> answers) {
            toServer = loopback.datagramChannel(new SimpleChannelInboundHandler<DatagramPacket>() {
                @Override
                protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
                    byte[] datagram = ByteBufUtil.getBytes(packet.content());
                    answers.add(datagram);
                    toClient.writeAndFlush(new DatagramPacket(Unpooled.wrappedBuffer(datagram), client), toClient.voidPromise());
                }
            });
            toClient = loopback.datagramChannel(new SimpleChannelInboundHandler<DatagramPacket>() {
                @Override
                protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
                    client = packet.sender();
                    toServer.writeAndFlush(new DatagramPacket(packet.content().retain(), server), toServer.voidPromise());
                }
            });
        }

        InetSocketAddress address() {
            return (InetSocketAddress) toClient.localAddress();
        }
    }
}
