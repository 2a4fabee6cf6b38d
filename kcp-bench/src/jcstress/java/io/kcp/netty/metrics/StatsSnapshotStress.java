package io.kcp.netty.metrics;

import io.kcp.netty.KcpListenerStats;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two threads read outdated statistics at the same time, and a third read follows one second later. */
@JCStressTest
@Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "The reads of both threads share a collection.")
@Outcome(id = "4", expect = Expect.ACCEPTABLE, desc = "One thread starts a collection after that of the other thread has ended.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A read starts no collection.")
@State
public class StatsSnapshotStress {

    private final AtomicInteger collections = new AtomicInteger();
    private final AtomicLong nowNanos = new AtomicLong();
    private final StatsSnapshot snapshot = new StatsSnapshot(this::collect, () -> false, nowNanos::get);

    /** Makes the statistics outdated. */
    public StatsSnapshotStress() {
        nowNanos.addAndGet(StatsSnapshot.FRESH_NANOS);
    }

    private Future<KcpListenerStats> collect() {
        collections.incrementAndGet();
        return ImmediateEventExecutor.INSTANCE.newSucceededFuture(KcpListenerStats.ZERO);
    }

    /** One thread. */
    @Actor
    public void first() {
        snapshot.get();
    }

    /** Another thread. */
    @Actor
    public void second() {
        snapshot.get();
    }

    /** Counts the collections, including the one in the constructor of the snapshot. */
    @Arbiter
    public void end(I_Result result) {
        nowNanos.addAndGet(StatsSnapshot.FRESH_NANOS);
        snapshot.get();
        result.r1 = collections.get();
    }
}
