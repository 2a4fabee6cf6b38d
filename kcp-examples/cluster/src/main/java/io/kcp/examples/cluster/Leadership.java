package io.kcp.examples.cluster;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * Uses one distributed lock per room to elect the gateway that simulates the room's world. Because a lock belongs to the thread that
 * acquired it and each call waits for Redis, one dedicated thread makes the calls for all rooms.
 */
final class Leadership implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(Leadership.class);
    private static final int PERCENT = 100;
    /**
     * Percentage of the lock's lifetime after which a gateway stops leading a room unless it has renewed the lock. The rest of the lifetime
     * allows for clock drift and for a tick in progress.
     */
    private static final int USED_PERCENT = 80;

    private final RedisLockRegistry locks;
    private final long usedNanos;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(new DefaultThreadFactory("arena-leadership", true));
    private final Map<String, Lock> held = new HashMap<>();

    Leadership(RedisLockRegistry locks, Duration leadTime) {
        this.locks = locks;
        usedNanos = leadTime.toNanos() / PERCENT * USED_PERCENT;
    }

    /**
     * Acquires or renews the lock of a room. Completes with the {@link System#nanoTime} until which this gateway leads, or with null if
     * another gateway holds the lock.
     */
    CompletionStage<@Nullable Long> renew(String room) {
        return CompletableFuture.supplyAsync(() -> {
            long untilNanos = System.nanoTime() + usedNanos;
            return takeOrRenew(room) ? untilNanos : null;
        }, thread);
    }

    private boolean takeOrRenew(String room) {
        Lock lock = held.get(room);
        if (lock == null) {
            lock = locks.obtain(room);
            if (lock.tryLock()) {
                held.put(room, lock);
                return true;
            }
            return false;
        }
        try {
            locks.renewLock(room);
            return true;
        } catch (IllegalStateException lost) {
            LOGGER.info("Room {}: this gateway lost the leadership and stops simulating the world, because the lock was not renewed in "
                + "time", room);
            release(room, lock);
            return false;
        }
    }

    /** Releases the lock of a room, so that another gateway can acquire it. */
    CompletionStage<?> release(String room) {
        return CompletableFuture.runAsync(() -> {
            Lock lock = held.get(room);
            if (lock != null) {
                release(room, lock);
            }
        }, thread);
    }

    private void release(String room, Lock lock) {
        held.remove(room);
        try {
            lock.unlock();
        } catch (IllegalStateException | ConcurrentModificationException expired) {
            LOGGER.debug("Room {}: the lock had already expired when it was released", room, expired);
        }
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
