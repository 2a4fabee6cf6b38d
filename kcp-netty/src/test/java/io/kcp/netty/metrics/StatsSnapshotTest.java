package io.kcp.netty.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpOpenSessions;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StatsSnapshotTest {

    private final List<Promise<KcpListenerStats>> asked = new ArrayList<>();
    private long nowNanos = 42;
    private boolean answers = true;
    private boolean mayWait = true;

    private Future<KcpListenerStats> collect() {
        Promise<KcpListenerStats> promise = ImmediateEventExecutor.INSTANCE.newPromise();
        asked.add(promise);
        if (answers) {
            promise.setSuccess(opened(asked.size()));
        }
        return promise;
    }

    private static KcpListenerStats opened(long sessions) {
        return new KcpListenerStats(0, sessions, 0, Map.of(), 0, Map.of(), 0, 0, 0, 0, 0, 0, KcpOpenSessions.NONE, KcpStats.ZERO,
            FecStats.ZERO, List.of());
    }

    private StatsSnapshot snapshot() {
        return new StatsSnapshot(this::collect, () -> mayWait, () -> nowNanos);
    }

    @Test
    void figuresAreCollectedAtMostOnceASecondAndOnlyWhenRead() {
        StatsSnapshot snapshot = snapshot();
        for (int i = 0; i < 100; i++) {
            assertThat(snapshot.get().openedSessions()).isEqualTo(1);
        }
        nowNanos += StatsSnapshot.FRESH_NANOS - 1;
        assertThat(snapshot.get().openedSessions()).isEqualTo(1);
        nowNanos += 100 * StatsSnapshot.FRESH_NANOS;
        assertThat(asked).hasSize(1);
        assertThat(snapshot.get().openedSessions()).isEqualTo(2);
        assertThat(snapshot.get().openedSessions()).isEqualTo(2);
        assertThat(asked).hasSize(2);
    }

    @Test
    void oldFiguresServeWhileNothingIsAnsweredAndTellTheirAge() {
        StatsSnapshot snapshot = snapshot();
        answers = false;
        nowNanos += TimeUnit.SECONDS.toNanos(7);
        long startNanos = System.nanoTime();
        assertThat(snapshot.get().openedSessions()).isEqualTo(1);
        assertThat(System.nanoTime() - startNanos).as("it waited, while the clock of the test stood")
            .isGreaterThanOrEqualTo(StatsSnapshot.WAIT_NANOS);
        nowNanos += StatsSnapshot.WAIT_NANOS;
        // Further reads do not wait. Otherwise they would take four minutes, and the timeout of the test is half a minute.
        for (int i = 0; i < 1_000; i++) {
            assertThat(snapshot.get().openedSessions()).isEqualTo(1);
        }
        assertThat(snapshot.ageSeconds()).isBetween(7.2, 7.3);
        assertThat(asked).as("one at a time").hasSize(2);
        asked.get(1).setSuccess(opened(2));
        assertThat(snapshot.get().openedSessions()).isEqualTo(2);
        assertThat(snapshot.ageSeconds()).isZero();
    }

    @Test
    void whoMustNotWaitDoesNot() {
        StatsSnapshot snapshot = snapshot();
        answers = false;
        mayWait = false;
        nowNanos += TimeUnit.SECONDS.toNanos(7);
        // As the clock stands, it would wait for ever, again and again.
        for (int i = 0; i < 100_000; i++) {
            assertThat(snapshot.get().openedSessions()).isEqualTo(1);
        }
        assertThat(asked).as("but it asks").hasSize(2);
    }

    @Test
    void whatFailedIsTriedAgainASecondLater() {
        StatsSnapshot snapshot = snapshot();
        answers = false;
        mayWait = false;
        nowNanos += StatsSnapshot.FRESH_NANOS;
        assertThat(snapshot.get().openedSessions()).isEqualTo(1);
        asked.get(1).setFailure(new IllegalStateException("loop has ended"));
        assertThat(snapshot.get().openedSessions()).isEqualTo(1);
        assertThat(asked).hasSize(2);
        assertThat(snapshot.ageSeconds()).isEqualTo(1);
        answers = true;
        nowNanos += StatsSnapshot.FRESH_NANOS;
        assertThat(snapshot.get().openedSessions()).isEqualTo(3);
    }
}
