package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Replaces one side of a recorded kcp-go session by our conversation. It receives the datagrams that this side received, and sends the
 * same segments no later than this side did, so that the recorded peer acknowledges only segments that were sent.
 */
class RecordedSessionTest {

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    @ParameterizedTest(name = "{0}, in the place of the client: {1}")
    @CsvSource({
        "raw-clean, false", "raw-clean, true",
        "raw-loss15, false", "raw-loss15, true",
        "raw-stream-loss10, false", "raw-stream-loss10, true"})
    void recordedPeerIsUnderstood(String name, boolean asClient) throws NoSuchAlgorithmException {
        RecordedSession session = RecordedSession.load(name);
        KcpConfig config = KcpConfig.fast3().toBuilder().mtuBytes(session.mtuBytes()).windows(session.windowSegments()).build();
        CapturedOutput output = new CapturedOutput(leaks.allocator(), 0);
        Kcp kcp = new Kcp(session.conv(), config, output, new SegmentPool(leaks.allocator()), 0, 0);
        leaks.atEnd(kcp::release);
        int written = 0;
        int peerSegments = 0;
        int nowMs = 0;
        for (RecordedSession.Datagram datagram : session.datagrams()) {
            nowMs = datagram.atMs();
            for (WireSegment segment : WireSegment.parse(datagram.bytes())) {
                if (segment.isPush() && datagram.fromClient() == asClient && segment.sn() == written) {
                    kcp.send(leaks.allocator().buffer(segment.payload().length).writeBytes(segment.payload()), nowMs);
                    written++;
                } else if (segment.isPush() && datagram.fromClient() != asClient) {
                    peerSegments = Math.max(peerSegments, segment.sn() + 1);
                }
            }
            if (datagram.fromClient() != asClient && !datagram.dropped()) {
                ByteBuf in = leaks.allocator().buffer(datagram.bytes().length).writeBytes(datagram.bytes());
                assertThat(kcp.input(in, false, nowMs)).as("datagram at %d ms", nowMs).isEqualTo(InputResult.ACCEPTED);
                in.release();
                read(kcp);
            }
            kcp.flush(nowMs);
        }
        assertThat(received.size()).isEqualTo(session.appBytes());
        assertThat(sha256(received.toByteArray())).isEqualTo(session.appSha256());
        assertThat(kcp.isIdle()).as("the recorded peer acknowledged everything").isTrue();
        assertThat(kcp.stats().bytesSent()).isEqualTo(session.appBytes());
        output.take();
        kcp.ping(nowMs);
        kcp.flush(nowMs);
        assertThat(WireSegment.parse(output.take().get(0)).get(0).una()).as("our una").isEqualTo(peerSegments);
    }

    private void read(Kcp kcp) {
        for (ByteBuf message = kcp.receive(); message != null; message = kcp.receive()) {
            byte[] bytes = new byte[message.readableBytes()];
            message.readBytes(bytes);
            message.release();
            received.writeBytes(bytes);
        }
    }

    private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
