package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests how the writes of a stream are divided into segments. */
class StreamSegmentationTest {

    private static final int MSS = KcpConfig.fast3().mtuBytes() - SegmentHeader.LENGTH;

    private static final KcpConfig STREAM = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).windows(32).build();

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final DrivenKcp driven = new DrivenKcp(leaks, STREAM);
    private final Random random = new Random(1);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    private void write(int bytes) {
        byte[] data = new byte[bytes];
        random.nextBytes(data);
        written.writeBytes(data);
        driven.send(data);
    }

    /** Sends everything, checks that the payloads are the written bytes, and returns the sizes of the payloads. */
    private List<Integer> sentSizes() {
        List<Integer> sizes = new ArrayList<>();
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        for (WireSegment segment : driven.flush()) {
            sizes.add(segment.payload().length);
            sent.writeBytes(segment.payload());
        }
        assertThat(sent.toByteArray()).isEqualTo(written.toByteArray());
        return sizes;
    }

    @Test
    void wholeWriteFillsASegmentBelowAQuarter() {
        write(10);
        write(MSS / 4 - 11);
        write(MSS);
        assertThat(sentSizes()).containsExactly(MSS, MSS / 4 - 1);
    }

    @Test
    void longerAndShorterWritesFillTheLastSegment() {
        write(MSS / 2);
        write(MSS + 1);
        write(MSS - 1);
        assertThat(sentSizes()).containsExactly(MSS, MSS, MSS / 2);
    }

    @Test
    void relayedSegmentsBehindAShortOneStayWhole() {
        write(MSS);
        write(MSS / 2);
        write(MSS);
        write(MSS);
        write(MSS / 4);
        write(MSS);
        assertThat(sentSizes()).containsExactly(MSS, MSS / 2, MSS, MSS, MSS / 4, MSS);
    }

    @Test
    void relayedSegmentIsNotCopied() {
        write(MSS / 2);
        ByteBuf relayed = leaks.allocator().buffer(MSS).writeZero(MSS);
        driven.kcp.send(relayed.retain(), driven.nowMs());
        relayed.setByte(0, 7);
        assertThat(driven.flush().get(1).payload()[0]).isEqualTo((byte) 7);
        relayed.release();
    }

    @Test
    void writeOfANewMssIsNotAppendedToASegmentOfASmallerOne() {
        driven.kcp.reconfigure(driven.kcp.config().toBuilder().mtuBytes(MSS / 2 + SegmentHeader.LENGTH).build());
        write(MSS / 2);
        driven.kcp.reconfigure(STREAM);
        write(MSS);
        assertThat(sentSizes()).containsExactly(MSS / 2, MSS);
    }

    /** A write that is cut because of the window fills the last segment, so that short segments do not use up the window. */
    @Test
    void sendableBytesIncludeTheRoomOfTheLastSegment() {
        write(MSS / 2);
        assertThat(driven.kcp.sendableBytes()).isEqualTo(31 * MSS + MSS - MSS / 2);
        write(driven.kcp.sendableBytes());
        assertThat(driven.kcp.waitingSegments()).isEqualTo(32);
        assertThat(driven.kcp.sendableBytes()).isZero();
    }

    /** Segments at least a quarter full keep the number of segments within 1.6 times the smallest possible number. */
    @Test
    void alternatingShortAndWholeWritesNeedAtMostThreeFifthsMoreSegments() {
        for (int bytes = 1; bytes < MSS; bytes++) {
            DrivenKcp sender = new DrivenKcp(leaks, STREAM);
            for (int i = 0; i < 10; i++) {
                sender.send(new byte[bytes]);
                sender.send(new byte[MSS]);
            }
            int segments = sender.kcp.waitingSegments();
            sender.kcp.release();
            assertThat((double) segments * MSS / (10 * (MSS + bytes))).as("short writes of %d bytes", bytes).isLessThanOrEqualTo(1.6);
        }
    }
}
