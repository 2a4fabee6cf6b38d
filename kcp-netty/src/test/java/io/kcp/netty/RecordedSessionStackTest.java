package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecHeader;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Replaces one side of a recorded kcp-go session with the complete stack of this library, including encryption and FEC. The stack
 * receives the same datagrams as that side, at the same times, and writes the same data, segment by segment, at the recorded times.
 */
@Timeout(60)
class RecordedSessionStackTest {

    private RecordedSession session;
    private int lostShards;
    private int oobDelivered;

    @ParameterizedTest(name = "{0}, in the place of the client: {1}")
    @CsvSource({
        "raw-clean, false", "raw-clean, true",
        "raw-loss15, false", "raw-loss15, true",
        "raw-stream-loss10, false", "raw-stream-loss10, true",
        "xor-clean, false", "xor-clean, true",
        "salsa20-loss5, false", "salsa20-loss5, true",
        "none-fec2x2-loss20, false", "none-fec2x2-loss20, true",
        "fec10x3-loss10, false", "fec10x3-loss10, true",
        "fec3x1-oob-loss5, false", "fec3x1-oob-loss5, true",
        "aes-fec10x3-loss10, false", "aes-fec10x3-loss10, true",
        "aes-128-gcm-fec5x2-loss10, false", "aes-128-gcm-fec5x2-loss10, true"})
    void recordedSessionIsReplayedCompletely(String name, boolean asClient) throws NoSuchAlgorithmException {
        session = RecordedSession.load(name);
        KcpConfig config = KcpConfig.fast3().toBuilder().mtuBytes(session.mtuBytes()).windows(session.windowSegments()).build();
        try (EmbeddedLink link = EmbeddedLink.create(
            builder -> builder.childOption(KcpChannelOption.KCP_CONFIG, config), SessionRecorder::new, this::below, this::below)) {
            EmbeddedLink.End end = asClient ? link.client() : link.server();
            end.loseAll();
            SessionRecorder recorder = null;
            if (asClient) {
                recorder = link.connect(session.conv());
                recorder.session().config().setOption(KcpChannelOption.KCP_CONFIG, config);
            }
            replay(link, end, asClient, recorder);
            recorder = asClient ? recorder : link.accepted(0);
            assertThat(sha256(String.join("", recorder.messages()))).isEqualTo(session.appSha256());
            KcpSessionStats stats = recorder.session().collectStats().getNow();
            assertThat(stats.counters().bytesSent()).isEqualTo(session.appBytes());
            assertThat(stats.unacknowledgedBytes()).as("the recorded peer acknowledged everything").isZero();
            assertThat(end.stats().dropped()).isEmpty();
            System.out.printf("%s as %s: %d shards lost, %d recovered, %d OOB%n", name, asClient ? "client" : "server",
                lostShards, stats.fec().recoveredShards(), oobDelivered);
            if (session.dataShards() > 0) {
                assertThat(stats.fec().recoveredShards()).isPositive();
            }
            assertThat(recorder.oobMessages()).hasSize(oobDelivered);
            if (!asClient) {
                HexFormat hex = HexFormat.of();
                assertThat(recorder.oobMessages().stream().map(text -> hex.formatHex(text.getBytes(StandardCharsets.ISO_8859_1))))
                    .containsAll(session.oobReceivedByServer());
            }
        }
    }

    private void replay(EmbeddedLink link, EmbeddedLink.End end, boolean asClient, @Nullable SessionRecorder client) {
        Map<Integer, Boolean> written = new HashMap<>();
        int nextSn = 0;
        DatagramCipher cipher = crypto() == null ? null : crypto().newCipher(bytes -> { });
        for (RecordedSession.Datagram datagram : session.datagrams()) {
            if (datagram.atMs() > link.nowMs()) {
                link.advanceMs(datagram.atMs() - link.nowMs());
            }
            ByteBuf opened = Unpooled.copiedBuffer(datagram.bytes());
            assertThat(cipher == null || cipher.open(opened)).isTrue();
            int type = session.dataShards() == 0 ? 0 : FecHeader.type(opened, opened.readerIndex());
            boolean heard = datagram.fromClient() != asClient;
            // A session opens with sn 0 and acknowledges nothing before, so a client retransmits a lost first datagram.
            boolean retransmitted = !asClient && link.accepted().isEmpty();
            if (heard && datagram.dropped() && !retransmitted) {
                lostShards += type == FecHeader.TYPE_DATA ? 1 : 0;
            } else if (heard) {
                oobDelivered += type == FecHeader.TYPE_OOB ? 1 : 0;
                end.receive(asClient ? EmbeddedLink.SERVER_ADDRESS : EmbeddedLink.CLIENT_ADDRESS,
                    link.allocator().directBuffer().writeBytes(datagram.bytes()));
            } else if (type == 0 || type == FecHeader.TYPE_DATA) {
                opened.skipBytes(type == 0 ? 0 : FecHeader.LENGTH);
                SessionRecorder writer = client != null ? client : link.accepted(0);
                for (WireSegment segment : WireSegment.parse(opened)) {
                    if (segment.isPush() && segment.sn() == nextSn && written.put(nextSn, true) == null) {
                        nextSn++;
                        writer.session().writeAndFlush(link.allocator().directBuffer()
                            .writeBytes(segment.payload().getBytes(StandardCharsets.ISO_8859_1)));
                    }
                }
            }
        }
        link.settle();
    }

    private @Nullable CryptoConfig crypto() {
        return session.cipherName().equals("null") ? null : CryptoConfig.of(session.cipherName(), session.key());
    }

    private void below(Channel channel) {
        CryptoConfig crypto = crypto();
        if (crypto != null) {
            channel.pipeline().addLast(new CryptoCodec(crypto));
        }
        FecShape shape = session.dataShards() == 0 ? null : new FecShape(session.dataShards(), session.parityShards());
        channel.pipeline().addLast(new FecCodec(shape == null ? null : FecConfig.of(shape)));
    }

    private static String sha256(String text) throws NoSuchAlgorithmException {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
