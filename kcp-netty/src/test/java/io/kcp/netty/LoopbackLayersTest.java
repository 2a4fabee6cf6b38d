package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.LossyLinkHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests encryption and FEC over every transport, with a link that drops 10 % of the datagrams in each direction. */
@Timeout(60)
@Tag("jdk")
class LoopbackLayersTest {

    private static final double LOSS = 0.1;
    private static final int MESSAGES = 400;
    private static final FecConfig FEC = FecConfig.of(new FecShape(10, 3));

    private static KcpServerBootstrap echo(Loopback loopback, CryptoConfig crypto) {
        return loopback.server(EchoHandler.INSTANCE).config(KcpConfig.fast3()).crypto(crypto).fec(FEC);
    }

    @ParameterizedTest
    @EnumSource
    void writtenMessagesAreEchoed(KcpTransport transport) throws InterruptedException {
        CryptoConfig crypto = CryptoConfig.kcptun("aes-128-gcm", "k");
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(echo(loopback, crypto));
            LossyLinkHandler link = new LossyLinkHandler(LinkProfile.builder().lossProbability(LOSS).build(), 3);
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(
                loopback.client(answers).config(KcpConfig.fast3()).crypto(crypto).fec(FEC).datagramHandler(link), server.localAddress());
            for (int i = 0; i < MESSAGES; i++) {
                client.writeAndFlush(client.alloc().buffer().writeBytes(("message " + i).getBytes(StandardCharsets.US_ASCII)));
            }
            List<String> received = answers.next(MESSAGES);
            assertThat(received.get(MESSAGES - 1)).isEqualTo("message " + (MESSAGES - 1));
            assertThat(Loopback.result(client.collectStats()).fec().parityShards()).isPositive();
            assertThat(link.outboundCounts().lost()).isPositive();
            assertThat(link.inboundCounts().lost()).isPositive();
            assertThat(Loopback.result(server.collectStats()).dropped()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void outOfBandMessagesWorkInBothDirections(KcpTransport transport) throws InterruptedException {
        CryptoConfig crypto = CryptoConfig.kcptun("salsa20", "k");
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(new OobEcho(null));
                }
            }).crypto(crypto).fec(FEC));
            KcpChannel client = loopback.connect(loopback.client(new OobEcho(events)).crypto(crypto).fec(FEC), server.localAddress());
            client.writeAndFlush(client.alloc().buffer().writeByte(1));
            String answer = null;
            for (int attempt = 0; attempt < 150 && answer == null; attempt++) {
                client.sendOob(client.alloc().buffer().writeBytes("ping".getBytes(StandardCharsets.US_ASCII)));
                answer = events.poll(200, TimeUnit.MILLISECONDS);
            }
            assertThat(answer).isEqualTo("ping");
        }
    }

    @Test
    void nullDisablesCipherAndParity() throws InterruptedException {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpServerBootstrap plain = echo(loopback, CryptoConfig.kcptun("aes-128-gcm", "k")).crypto(null).fec(null);
            assertThat(plain.crypto()).isNull();
            assertThat(plain.fec()).isNull();
            KcpServerChannel server = loopback.bind(plain);
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(loopback.client(answers).crypto(CryptoConfig.kcptun("aes-128-gcm", "k")).fec(FEC)
                .crypto(null).fec(null), server.localAddress());
            client.writeAndFlush(client.alloc().buffer().writeByte('x'));
            assertThat(answers.next()).isEqualTo("x");
            assertThat(client.datagramChannel().pipeline().get(CryptoCodec.class)).isNull();
            assertThat(Loopback.result(client.collectStats()).fec().parityShards()).isZero();
        }
    }

    @Test
    void outOfBandMessageToATerminatedLoopFailsAndIsReleased() {
        Loopback loopback = new Loopback(KcpTransport.NIO, 1);
        InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
        KcpChannel client = loopback.connect(loopback.client(new MessageCollector()).fec(FEC), nobody);
        loopback.close();
        ByteBuf payload = Unpooled.buffer().writeByte(1);
        assertThat(client.sendOob(payload).isSuccess()).isFalse();
        assertThat(payload.refCnt()).isZero();
    }

    /** Echoes out-of-band messages, or passes them to the test. */
    private static final class OobEcho extends SimpleChannelInboundHandler<ByteBuf> {

        private final BlockingQueue<String> events;

        OobEcho(BlockingQueue<String> events) {
            this.events = events;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof KcpOobMessage oob && events == null) {
                context.writeAndFlush(oob);
            } else if (event instanceof KcpOobMessage oob) {
                events.add(oob.content().toString(StandardCharsets.US_ASCII));
                oob.release();
            }
        }
    }
}
