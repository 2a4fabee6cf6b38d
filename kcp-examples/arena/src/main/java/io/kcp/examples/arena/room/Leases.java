package io.kcp.examples.arena.room;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Who has what, until it ends. Lives on one thread. */
final class Leases<T> {

    private record Lease<T>(T holder, long endNanos) {
    }

    private final Map<String, Lease<T>> leases = new HashMap<>();
    private final LongSupplier nanoTime;

    Leases(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns who has it now. */
    @Nullable T holder(String name) {
        Lease<T> lease = leases.get(name);
        return lease != null && lease.endNanos - nanoTime.getAsLong() > 0 ? lease.holder : null;
    }

    /** Gives it to somebody, whoever has it; a time of zero takes it away. */
    void give(String name, T holder, Duration timeToLive) {
        if (timeToLive.isZero()) {
            leases.remove(name);
        } else {
            leases.put(name, new Lease<>(holder, nanoTime.getAsLong() + timeToLive.toNanos()));
        }
    }

    /** Gives it to somebody unless another has it. */
    boolean offer(String name, T holder, Duration timeToLive) {
        T present = holder(name);
        if (present != null && !present.equals(holder)) {
            return false;
        }
        give(name, holder, timeToLive);
        return true;
    }

    void dropEnded() {
        long now = nanoTime.getAsLong();
        leases.values().removeIf(lease -> lease.endNanos - now <= 0);
    }
}
