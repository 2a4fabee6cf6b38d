package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests how the writes of a stream are divided into segments. */
class StreamSegmentationTest {

    private static final int MSS = KcpConfig.fast3().mtuBytes() - SegmentHeader.LENGTH;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mode(KcpMode.STREAM).build());
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
    void smallWritesShareASegment() {
        write(10);
        write(20);
        write(MSS);
        assertThat(sentSizes()).containsExactly(MSS, 30);
    }

    @Test
    void writesLongerThanASegmentFillTheLastOne() {
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
        write(MSS / 2 - 1);
        write(MSS);
        assertThat(sentSizes()).containsExactly(MSS, MSS / 2, MSS, MSS, MSS / 2 - 1, MSS);
    }

    /** Segments at least a quarter full keep the number of segments below 1.6 times the smallest possible number. */
    @Test
    void alternatingShortAndWholeWritesNeedAtMostThreeFifthsMoreSegments() {
        for (int bytes = 1; bytes < MSS; bytes++) {
            DrivenKcp sender = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mode(KcpMode.STREAM).build());
            for (int i = 0; i < 10; i++) {
                sender.send(new byte[bytes]);
                sender.send(new byte[MSS]);
            }
            int segments = sender.kcp.waitingSegments();
            sender.kcp.release();
            assertThat((double) segments * MSS / (10 * (MSS + bytes))).as("short writes of %d bytes", bytes).isLessThan(1.61);
        }
    }
}
