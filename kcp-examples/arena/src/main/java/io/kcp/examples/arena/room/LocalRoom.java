package io.kcp.examples.arena.room;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@link LocalBackplane} keeps of one room. Lives on its thread. */
final class LocalRoom {

    final Listeners<byte[]> inputs = new Listeners<>();
    final Listeners<byte[]> snapshots = new Listeners<>();
    byte @Nullable [] world;
    long usedNanos;
    private final long madeAtMs = System.currentTimeMillis();
    private final int maxEntries;
    private final Listeners<RoomEntry> subscribers = new Listeners<>();
    private final Deque<RoomEntry> log = new ArrayDeque<>();
    /**
     * Where the messages of each user stand; of those that the log has forgotten only the number is known. Who spoke last is at the
     * end, and there are no more users than messages.
     */
    private final Map<String, UserLog> users = new LinkedHashMap<>();
    private long entries;

    private static final class UserLog {
        private final Map<Long, RoomPosition> positions = new HashMap<>();
        private long lastSequence;
    }

    LocalRoom(int maxEntries) {
        this.maxEntries = maxEntries;
    }

    RoomPosition head() {
        return entries == 0 ? RoomPosition.START : new RoomPosition(madeAtMs, entries);
    }

    RoomPosition append(String user, long sequence, byte[] message) {
        UserLog before = users.get(user);
        UserLog said = before != null ? before : new UserLog();
        if (sequence >= 1 && sequence <= said.lastSequence) {
            return said.positions.getOrDefault(sequence, RoomPosition.START);
        }
        if (sequence != said.lastSequence + 1) {
            throw new IllegalArgumentException(
                "sequence: " + sequence + " of " + user + " (expected: 1 to " + (said.lastSequence + 1) + ')');
        }
        users.remove(user);
        users.put(user, said);
        if (users.size() > maxEntries) {
            // All the others spoke later, so the log has forgotten what this one said.
            users.remove(users.keySet().iterator().next());
        }
        said.lastSequence = sequence;
        RoomPosition position = new RoomPosition(madeAtMs, ++entries);
        said.positions.put(sequence, position);
        RoomEntry entry = new RoomEntry(position, user, sequence, message);
        log.add(entry);
        if (log.size() > maxEntries) {
            forget(log.remove());
        }
        subscribers.tell(entry);
        return position;
    }

    private void forget(RoomEntry oldest) {
        UserLog said = users.get(oldest.user());
        if (said != null) {
            said.positions.remove(oldest.sequence());
        }
    }

    void subscribe(RoomPosition after, Listeners.Listener<RoomEntry> subscriber) {
        for (RoomEntry entry : log) {
            if (entry.position().isAfter(after)) {
                subscriber.tell(entry);
            }
        }
        subscribers.add(subscriber);
    }

    List<RoomEntry> after(RoomPosition position, int count) {
        return log.stream().filter(entry -> entry.position().isAfter(position)).limit(count).toList();
    }

    boolean isListenedTo() {
        return !subscribers.isEmpty() || !inputs.isEmpty() || !snapshots.isEmpty();
    }
}
