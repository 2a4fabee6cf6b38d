package io.kcp.netty.internal.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.socket.DatagramCoalescer;
import io.kcp.netty.internal.socket.DatagramSlab;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class KcpDatagramTest {

    private static final InetSocketAddress HERE = new InetSocketAddress("10.0.0.1", 1);
    private static final InetSocketAddress THERE = new InetSocketAddress("10.0.0.2", 2);

    private final DefaultKcpChannel session = ((DefaultKcpHandler) new KcpClientHandlerBuilder().build()).newSession(null, 1);

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static void assertSame(KcpDatagram copy, KcpDatagram original) {
        assertThat(copy.session()).isSameAs(original.session());
        assertThat(copy.isRecovered()).isEqualTo(original.isRecovered());
        assertThat(copy.recipient()).isEqualTo(original.recipient());
        assertThat(copy.sender()).isEqualTo(original.sender());
        assertThat(copy.content()).isEqualTo(original.content());
    }

    @Test
    void outboundPacketReturnsItsSession() {
        KcpDatagram packet = new KcpDatagram(text("out"), THERE, session);
        assertThat(packet.session()).isSameAs(session);
        assertThat(packet.isRecovered()).isFalse();
        assertThat(packet.recipient()).isEqualTo(THERE);
        assertThat(packet.release()).isTrue();
    }

    @Test
    void inboundPacketReturnsWhetherItWasRecovered() {
        KcpDatagram packet = new KcpDatagram(text("in"), HERE, THERE, true);
        assertThat(packet.session()).isNull();
        assertThat(packet.isRecovered()).isTrue();
        assertThat(packet.sender()).isEqualTo(THERE);
        assertThat(packet.recipient()).isEqualTo(HERE);
        assertThat(packet.release()).isTrue();
    }

    @Test
    void copiesAndDuplicatesKeepThePacketsProperties() {
        for (KcpDatagram packet : new KcpDatagram[] {
            new KcpDatagram(text("out"), THERE, session), new KcpDatagram(text("in"), HERE, THERE, true)}) {
            KcpDatagram copy = packet.copy();
            assertSame(copy, packet);
            assertThat(copy.release()).isTrue();
            KcpDatagram duplicate = packet.duplicate();
            assertSame(duplicate, packet);
            KcpDatagram retained = packet.retainedDuplicate();
            assertSame(retained, packet);
            assertThat(packet.refCnt()).isEqualTo(2);
            retained.release();
            KcpDatagram replaced = packet.replace(text("other"));
            assertThat(replaced.session()).isSameAs(packet.session());
            assertThat(replaced.isRecovered()).isEqualTo(packet.isRecovered());
            replaced.release();
            assertThat(packet.release()).isTrue();
        }
    }

    @Test
    void retainAndTouchReturnThePacketItself() {
        KcpDatagram packet = new KcpDatagram(text("out"), THERE, session);
        assertThat(packet.retain()).isSameAs(packet);
        assertThat(packet.retain(2)).isSameAs(packet);
        assertThat(packet.touch()).isSameAs(packet);
        assertThat(packet.touch("here")).isSameAs(packet);
        assertThat(packet.refCnt()).isEqualTo(4);
        assertThat(packet.release(4)).isTrue();
    }

    private static DatagramCoalescer coalescer() {
        return new DatagramCoalescer(64, new DatagramSlab(1 << 16), KcpDatagram::runSender);
    }

    @Test
    void inboundPacketsMayBeWrittenBack() {
        EmbeddedChannel channel = new EmbeddedChannel(coalescer(),
            new CryptoCodec(CryptoConfig.kcptun("aes-128-gcm", "long enough")), new FecCodec(FecConfig.of(2, 1)));
        EmbeddedChannel bare = new EmbeddedChannel(coalescer());
        for (EmbeddedChannel written : new EmbeddedChannel[] {channel, bare}) {
            for (int i = 0; i < 3; i++) {
                ByteBuf content = Unpooled.directBuffer().writeBytes(text("recovered"));
                written.pipeline().write(new KcpDatagram(content, i == 1 ? null : HERE, THERE, true), written.voidPromise());
            }
            written.flush();
            written.checkException();
            assertThat(written.outboundMessages()).hasSize(3);
            written.finishAndReleaseAll();
        }
    }

    @Test
    void encoderFailureReleasesThePacket() {
        EmbeddedChannel channel = new EmbeddedChannel(new FecCodec(FecConfig.of(2, 1)));
        session.setRemoteAddress(THERE);
        KcpDatagram packet = new KcpDatagram(text("without room for a header in front of 24 bytes and more"), THERE, session);
        ChannelFuture written = channel.writeOneOutbound(packet);
        assertThat(written.cause()).isNotNull();
        assertThat(packet.refCnt()).isZero();
        channel.finishAndReleaseAll();
    }
}
