package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.conversation.Kcp;
import io.kcp.testkit.CountingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Replaces one side of a recorded kcp-go session with a conversation of kcp-core. The conversation receives the datagrams that the
 * replaced side received. It must send the same segments no later than that side, so that the recorded peer acknowledges only segments that
 * were sent.
 */
class RecordedSessionTest {

    private final CountingAllocator buffers = new CountingAllocator(false);
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final List<WireSegment> sent = new ArrayList<>();

    private final KcpOutput output = new KcpOutput() {
        @Override
        public int overheadBytes() {
            return 0;
        }

        @Override
        public ByteBuf allocate(int datagramBytes) {
            return buffers.buffer(datagramBytes);
        }

        @Override
        public void write(ByteBuf datagram) {
            sent.addAll(WireSegment.parse(datagram));
            datagram.release();
        }
    };

    @AfterEach
    void allBuffersAreReleased() {
        assertThat(buffers.outstandingBytes()).isZero();
    }

    @ParameterizedTest(name = "{0}, in the place of the client: {1}")
    @CsvSource({
        "raw-clean, false", "raw-clean, true",
        "raw-loss15, false", "raw-loss15, true",
        "raw-stream-loss10, false", "raw-stream-loss10, true"})
    void recordedPeerIsUnderstood(String name, boolean asClient) throws NoSuchAlgorithmException {
        RecordedSession session = RecordedSession.load(name);
        KcpConfig config = KcpConfig.fast3().toBuilder().mtuBytes(session.mtuBytes()).windows(session.windowSegments()).build();
        Kcp kcp = new Kcp(session.conv(), config, output, buffers.allocator(), 0, 0);
        try {
            replay(session, kcp, asClient);
            assertThat(received.size()).isEqualTo(session.appBytes());
            assertThat(sha256(received.toByteArray())).isEqualTo(session.appSha256());
            assertThat(kcp.isIdle()).as("the recorded peer acknowledged everything").isTrue();
            assertThat(kcp.stats().bytesSent()).isEqualTo(session.appBytes());
        } finally {
            kcp.release();
        }
    }

    private void replay(RecordedSession session, Kcp kcp, boolean asClient) {
        int written = 0;
        int peerSegments = 0;
        int nowMs = 0;
        for (RecordedSession.Datagram datagram : session.datagrams()) {
            nowMs = datagram.atMs();
            for (WireSegment segment : WireSegment.parse(Unpooled.wrappedBuffer(datagram.bytes()))) {
                if (segment.isPush() && datagram.fromClient() == asClient && segment.sn() == written) {
                    byte[] payload = segment.payload().getBytes(StandardCharsets.ISO_8859_1);
                    kcp.send(buffers.buffer(payload.length).writeBytes(payload), nowMs);
                    written++;
                } else if (segment.isPush() && datagram.fromClient() != asClient) {
                    peerSegments = Math.max(peerSegments, segment.sn() + 1);
                }
            }
            if (datagram.fromClient() != asClient && !datagram.dropped()) {
                ByteBuf in = buffers.buffer(datagram.bytes().length).writeBytes(datagram.bytes());
                assertThat(kcp.input(in, false, nowMs)).as("datagram at %d ms", nowMs).isEqualTo(InputResult.ACCEPTED);
                in.release();
                read(kcp);
            }
            kcp.flush(nowMs);
        }
        sent.clear();
        kcp.ping(nowMs);
        kcp.flush(nowMs);
        assertThat(sent.get(0).una()).as("una of the replacing conversation").isEqualTo(peerSegments);
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
