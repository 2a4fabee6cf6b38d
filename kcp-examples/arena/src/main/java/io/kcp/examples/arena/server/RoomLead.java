package io.kcp.examples.arena.server;

import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.world.World;
import io.kcp.examples.arena.world.WorldFormatException;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this gateway simulates the world of a room, and the world if it does. Asks again and again, and stops by itself well
 * before others may begin. On the room's executor.
 */
final class RoomLead {

    private static final Logger LOGGER = LoggerFactory.getLogger(RoomLead.class);
    /** The beginning of 2020: epochs, counted in seconds from there, are positive for a lifetime. */
    private static final long EPOCHS_SINCE_SECONDS = 1_577_836_800;
    /** A room that ends may still be giving its lead up when another by its name has begun. */
    private static final AtomicLong ROOMS = new AtomicLong();

    private final String room;
    private final String holder;
    private final RoomBackplane backplane;
    private final EventExecutor executor;
    private final Duration leadTime;
    private final LongSupplier currentTimeMs;
    private @Nullable World world;
    private boolean loading;
    private boolean givenUp;
    private long safeUntilNanos;

    RoomLead(String room, Gateway gateway, EventExecutor executor, LongSupplier currentTimeMs) {
        this.room = room;
        holder = gateway.name() + '#' + ROOMS.incrementAndGet();
        this.backplane = gateway.backplane();
        this.executor = executor;
        this.leadTime = gateway.properties().leadTime();
        this.currentTimeMs = currentTimeMs;
    }

    /** Returns the world to simulate, null if another gateway does. */
    @Nullable World world() {
        World leading = world;
        if (leading != null && System.nanoTime() - safeUntilNanos >= 0) {
            LOGGER.warn("Room {}: the lead was not renewed in time; another gateway may have it", room);
            world = null;
            return null;
        }
        return leading;
    }

    /** Asks for the lead, or for more time. */
    void renew() {
        long askedNanos = System.nanoTime();
        backplane.lead(room, holder, leadTime).whenComplete((leads, failure) -> executor.execute(() -> {
            if (failure != null) {
                LOGGER.debug("Room {}: the backplane failed", room, failure);
            } else if (!givenUp) {
                onAnswer(leads, askedNanos);
            }
        }));
    }

    private void onAnswer(boolean leads, long askedNanos) {
        if (!leads) {
            if (world != null) {
                LOGGER.info("Room {}: another gateway leads now", room);
            }
            world = null;
            return;
        }
        // What is left is for a clock that is not the backplane's, and a tick under way.
        safeUntilNanos = askedNanos + leadTime.toNanos() * 9 / 10;
        if (world == null && !loading) {
            loading = true;
            backplane.loadWorld(room).whenComplete((saved, failure) -> executor.execute(() -> {
                loading = false;
                if (failure == null && !givenUp && System.nanoTime() - safeUntilNanos < 0) {
                    world = begin(saved);
                }
            }));
        }
    }

    private World begin(byte @Nullable [] saved) {
        if (saved != null) {
            try {
                World takenOver = World.takeOver(saved);
                LOGGER.info("Room {}: led from here now, with {} players of before", room, takenOver.players());
                return takenOver;
            } catch (WorldFormatException unreadable) {
                LOGGER.warn("Room {}: its world begins anew", room, unreadable);
            }
        } else {
            LOGGER.info("Room {}: its world begins", room);
        }
        return new World(ThreadLocalRandom.current().nextLong(), epoch());
    }

    /** What players saw before may be of a world that is lost: it must not pass for newer than this one. */
    private int epoch() {
        return (int) (TimeUnit.MILLISECONDS.toSeconds(currentTimeMs.getAsLong()) - EPOCHS_SINCE_SECONDS);
    }

    void save() {
        World leading = world();
        if (leading != null) {
            backplane.saveWorld(room, leading.save()).exceptionally(failure -> {
                LOGGER.debug("Room {}: its world was not saved", room, failure);
                return null;
            });
        }
    }

    /** Leaves the world to another, as it is now if that can be saved. */
    CompletableFuture<?> giveUp() {
        World leading = world();
        givenUp = true;
        world = null;
        CompletionStage<@Nullable Void> saving =
            leading != null ? backplane.saveWorld(room, leading.save()) : CompletableFuture.completedFuture(null);
        return saving.exceptionally(failure -> {
            LOGGER.warn("Room {}: its world was not saved", room, failure);
            return null;
        }).thenCompose(saved -> backplane.lead(room, holder, Duration.ZERO)).exceptionally(failure -> false).toCompletableFuture();
    }
}
