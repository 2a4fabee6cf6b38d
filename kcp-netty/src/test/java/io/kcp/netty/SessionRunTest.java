package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.socket.DatagramCoalescer;
import io.kcp.netty.internal.socket.RunSender;
import io.netty.buffer.Unpooled;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which datagrams may be sent in GSO batches. */
@Timeout(30)
class SessionRunTest {

    private static final InetSocketAddress PEER = new InetSocketAddress("10.0.0.1", 9_000);

    private static RunSender senderOf(DatagramPacket datagram) {
        RunSender sender = KcpDatagram.runSender(datagram);
        datagram.release();
        return sender;
    }

    @Test
    void refusedRunStopsTheRunsOfItsSessionOnly() {
        DefaultKcpChannel refused = ((DefaultKcpHandler) new KcpClientHandlerBuilder().build()).newSession(null, 1);
        DefaultKcpChannel other = ((DefaultKcpHandler) new KcpClientHandlerBuilder().build()).newSession(null, 2);
        RunSender sender = senderOf(new KcpDatagram(Unpooled.buffer(), PEER, refused));
        assertThat(sender.maySendRuns()).isTrue();
        assertThat(sender.stopSendingRuns()).as("the socket need not stop").isTrue();
        assertThat(senderOf(new KcpDatagram(Unpooled.buffer(), PEER, refused)).maySendRuns()).isFalse();
        assertThat(senderOf(new KcpDatagram(Unpooled.buffer(), PEER, other)).maySendRuns()).isTrue();
    }

    @Test
    void onlyRecoveredDatagramsNeverJoinARun() {
        assertThat(senderOf(new DatagramPacket(Unpooled.buffer(), PEER))).isSameAs(RunSender.SOCKET);
        assertThat(senderOf(new KcpDatagram(Unpooled.buffer(), PEER, PEER, true))).isSameAs(RunSender.SINGLE);
    }

    @Test
    void channelThatCannotSendRunsHasNoCoalescer() throws InterruptedException {
        try (Loopback loopback = new Loopback(KcpTransport.NIO, 1)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE).gsoDatagrams(64));
            assertThat(server.datagramChannels()).isNotEmpty()
                .allMatch(socket -> socket.pipeline().get(DatagramCoalescer.class) == null);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, 65})
    void bootstrapsRejectRunsOutOfRange(int datagrams) {
        assertThatThrownBy(() -> new KcpServerBootstrap().gsoDatagrams(datagrams)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("gsoDatagrams: " + datagrams);
        assertThatThrownBy(() -> new KcpBootstrap().gsoDatagrams(datagrams)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("gsoDatagrams: " + datagrams);
    }
}
