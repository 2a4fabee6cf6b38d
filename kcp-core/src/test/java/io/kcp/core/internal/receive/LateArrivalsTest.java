package io.kcp.core.internal.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.conversation.DrivenKcp;
import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A segment that arrives after FEC has recovered it is acknowledged again, so that its sender does not consider it lost. */
class LateArrivalsTest {

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final DrivenKcp receiver = new DrivenKcp(leaks, KcpConfig.fast3());

    private static WireSegment push(int sn) {
        return WireSegment.push(sn, 100 + sn, new byte[1]);
    }

    private List<Integer> acknowledged() {
        return receiver.flush().stream().filter(WireSegment::isAck).map(segment -> {
            assertThat(segment.ts()).isEqualTo(100 + segment.sn());
            return segment.sn();
        }).toList();
    }

    /** Receives all segments up to 5 but the second, which FEC then recovers. */
    private void recover() {
        for (int sn : new int[] {0, 2, 3, 4, 5}) {
            receiver.input(push(sn));
        }
        receiver.flush();
        receiver.inputRecovered(push(1));
        assertThat(acknowledged()).containsExactly(1);
    }

    @Test
    void lateSegmentIsAcknowledgedAlone() {
        recover();
        receiver.input(push(1));
        assertThat(acknowledged()).containsExactly(1);
    }

    @Test
    void lateSegmentIsAcknowledgedInABatch() {
        recover();
        receiver.input(push(6));
        receiver.input(push(1));
        receiver.input(push(7));
        receiver.input(push(8));
        assertThat(acknowledged()).containsExactly(1, 8);
    }

    /** Both acknowledgements are sent, because a single one would look like that of a recovered segment. */
    @Test
    void segmentThatIsRecoveredAndArrivesInOneBatchIsAcknowledgedTwice() {
        for (int sn : new int[] {0, 2, 3, 4, 5}) {
            receiver.input(push(sn));
        }
        receiver.inputRecovered(push(1));
        receiver.input(push(1));
        receiver.input(push(6));
        assertThat(acknowledged()).containsExactly(1, 1, 6);
    }

    @Test
    void otherDuplicatesInABatchAreNotAcknowledged() {
        recover();
        receiver.input(push(2));
        receiver.input(WireSegment.push(1, 150, new byte[1]));
        receiver.inputRecovered(push(1));
        receiver.input(push(6));
        assertThat(acknowledged()).containsExactly(6);
    }

    @Test
    void recoveredSegmentsAreForgottenWhenTheSessionIsIdle() {
        recover();
        assertThat(receiver.kcp.holdsSpareMemory()).isTrue();
        receiver.kcp.trim();
        assertThat(receiver.kcp.holdsSpareMemory()).isFalse();
        assertThat(receiver.kcp.memory().bytes()).isPositive();
        receiver.receiveAll();
        assertThat(receiver.kcp.memory().bytes()).isZero();
    }
}
