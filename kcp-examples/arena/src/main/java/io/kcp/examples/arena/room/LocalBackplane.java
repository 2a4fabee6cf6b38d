package io.kcp.examples.arena.room;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A backplane in memory, for a single gateway, or several in one process. It has one thread, and everything happens there. Of
 * each room it keeps the last {@value #MAX_ENTRIES} messages, and of a room that nobody listens to nothing after an hour.
 */
public final class LocalBackplane implements RoomBackplane {

    private static final int MAX_ENTRIES = 20_000;
    private static final Duration ROOM_KEPT = Duration.ofHours(1);
    private static final long SWEEP_SECONDS = 10;

    private record Claim(String gateway, int attempt) {
    }

    private final EventExecutor executor = new DefaultEventExecutor(new DefaultThreadFactory("arena-backplane", true));
    private final Map<String, LocalRoom> rooms = new HashMap<>();
    private final LongSupplier nanoTime;
    private final int maxEntries;
    private final Leases<String> leads;
    private final Leases<Claim> claims;
    private final Leases<ByteBuffer> tokens;
    private final Leases<RoomPosition> entered;

    /** Creates an empty one. */
    public LocalBackplane() {
        this(System::nanoTime, MAX_ENTRIES);
    }

    LocalBackplane(LongSupplier nanoTime, int maxEntries) {
        this.nanoTime = nanoTime;
        this.maxEntries = maxEntries;
        leads = new Leases<>(nanoTime);
        claims = new Leases<>(nanoTime);
        tokens = new Leases<>(nanoTime);
        entered = new Leases<>(nanoTime);
        executor.scheduleAtFixedRate(this::dropEnded, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public CompletionStage<RoomPosition> publish(String room, String user, long sequence, byte[] message) {
        return ask(() -> room(room).append(user, sequence, message));
    }

    @Override
    public Subscription subscribe(String room, RoomPosition after, Consumer<RoomEntry> listener) {
        Listeners.Listener<RoomEntry> subscriber = new Listeners.Listener<>(listener);
        run(() -> room(room).subscribe(after, subscriber));
        return subscriber;
    }

    @Override
    public CompletionStage<List<RoomEntry>> after(String room, RoomPosition position, int count) {
        return ask(() -> room(room).after(position, count));
    }

    @Override
    public CompletionStage<RoomPosition> head(String room) {
        return ask(() -> room(room).head());
    }

    @Override
    public CompletionStage<Boolean> lead(String room, String gateway, Duration timeToLive) {
        return ask(() -> leads.offer(room, gateway, timeToLive) && !timeToLive.isZero());
    }

    @Override
    public void sendInput(String room, byte[] input) {
        run(() -> room(room).inputs.tell(input));
    }

    @Override
    public Subscription inputs(String room, Consumer<byte[]> listener) {
        Listeners.Listener<byte[]> subscriber = new Listeners.Listener<>(listener);
        run(() -> room(room).inputs.add(subscriber));
        return subscriber;
    }

    @Override
    public void publishSnapshot(String room, byte[] snapshot) {
        run(() -> room(room).snapshots.tell(snapshot));
    }

    @Override
    public Subscription snapshots(String room, Consumer<byte[]> listener) {
        Listeners.Listener<byte[]> subscriber = new Listeners.Listener<>(listener);
        run(() -> room(room).snapshots.add(subscriber));
        return subscriber;
    }

    @Override
    public CompletionStage<@Nullable Void> saveWorld(String room, byte[] world) {
        return ask(() -> {
            room(room).world = world;
            return null;
        });
    }

    @Override
    public CompletionStage<byte @Nullable []> loadWorld(String room) {
        return ask(() -> room(room).world);
    }

    @Override
    public CompletionStage<@Nullable String> claim(String user, String gateway, int attempt, Duration timeToLive) {
        return ask(() -> {
            Claim mine = new Claim(gateway, attempt);
            Claim held = claims.holder(user);
            if (held != null && !held.equals(mine) && (timeToLive.isZero() || attempt - held.attempt <= 0)) {
                return held.gateway;
            }
            claims.give(user, mine, timeToLive);
            return timeToLive.isZero() ? null : gateway;
        });
    }

    @Override
    public CompletionStage<NameHolder> bind(String user, byte[] token, Duration timeToLive) {
        return ask(() -> {
            boolean free = tokens.holder(user) == null;
            boolean bound = tokens.offer(user, ByteBuffer.wrap(token), timeToLive);
            return free ? NameHolder.NOBODY : bound ? NameHolder.SAME : NameHolder.ANOTHER;
        });
    }

    @Override
    public CompletionStage<NameHolder> keep(String user, byte[] token, Duration timeToLive) {
        return ask(() -> {
            if (tokens.holder(user) == null) {
                return NameHolder.NOBODY;
            }
            return tokens.offer(user, ByteBuffer.wrap(token), timeToLive) ? NameHolder.SAME : NameHolder.ANOTHER;
        });
    }

    @Override
    public CompletionStage<RoomPosition> enter(String room, String user, RoomPosition after, Duration timeToLive) {
        return ask(() -> {
            RoomPosition before = entered.holder(inRoom(room, user));
            RoomPosition since = before != null ? before : after;
            entered.give(inRoom(room, user), since, timeToLive);
            return since;
        });
    }

    @Override
    public CompletionStage<@Nullable RoomPosition> entered(String room, String user) {
        return ask(() -> entered.holder(inRoom(room, user)));
    }

    /** Neither may have a slash in it. */
    private static String inRoom(String room, String user) {
        return room + '/' + user;
    }

    @Override
    public void close() {
        executor.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private LocalRoom room(String name) {
        LocalRoom room = rooms.computeIfAbsent(name, absent -> new LocalRoom(maxEntries));
        room.usedNanos = nanoTime.getAsLong();
        return room;
    }

    private void dropEnded() {
        leads.dropEnded();
        claims.dropEnded();
        tokens.dropEnded();
        entered.dropEnded();
        long now = nanoTime.getAsLong();
        rooms.values().removeIf(room -> now - room.usedNanos > ROOM_KEPT.toNanos() && !room.isListenedTo());
    }

    private <T extends @Nullable Object> CompletionStage<T> ask(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        boolean asked = run(() -> {
            try {
                answer.complete(question.get());
            } catch (RuntimeException mistake) {
                answer.completeExceptionally(mistake);
            }
        });
        if (!asked) {
            answer.completeExceptionally(new IllegalStateException("the backplane is closed"));
        }
        return answer;
    }

    private boolean run(Runnable action) {
        try {
            executor.execute(action);
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }
}
