package io.kcp.tools.tunnel;

import io.kcp.netty.KcpListenerStats;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.netty.util.concurrent.Promise;

/** Adds up the statistics of several sources, which may complete on different threads, and completes a promise with the sum. */
final class StatsSum implements FutureListener<KcpListenerStats> {

    private final Promise<KcpListenerStats> promise;
    private KcpListenerStats sum = KcpListenerStats.ZERO;
    private int missing;

    /**
     * Creates a sum.
     *
     * @param sources the number of futures to which this listener will be added; a source that fails counts as zero
     * @param promise completed with the sum
     */
    StatsSum(int sources, Promise<KcpListenerStats> promise) {
        this.promise = promise;
        missing = sources;
        if (sources == 0) {
            promise.setSuccess(sum);
        }
    }

    @Override
    public void operationComplete(Future<KcpListenerStats> collected) {
        KcpListenerStats total;
        synchronized (this) {
            if (collected.isSuccess()) {
                sum = sum.plus(collected.getNow());
            }
            if (--missing > 0) {
                return;
            }
            total = sum;
        }
        promise.trySuccess(total);
    }
}
