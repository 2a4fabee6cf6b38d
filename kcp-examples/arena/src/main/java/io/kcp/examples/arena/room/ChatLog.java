package io.kcp.examples.arena.room;

import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Most recent chat messages of a room. Each message is encoded only once for all players. Not thread safe. */
public final class ChatLog {

    private final int kept;
    private final Map<String, Long> lastSequences;
    private final byte[][] ring;
    private RoomPosition head;
    private int count;

    /**
     * Creates an empty log.
     *
     * @param kept number of messages to keep
     * @param head position before the first message
     */
    public ChatLog(int kept, RoomPosition head) {
        this.kept = kept;
        this.head = head;
        ring = new byte[kept][];
        lastSequences = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                return size() > kept;
            }
        };
    }

    /**
     * Returns the position of the most recent message.
     *
     * @return the position; entry 0 before the first message
     */
    public RoomPosition head() {
        return head;
    }

    /**
     * Returns {@code true} if the log still contains every message after a position.
     *
     * @param position the last position that a player received
     * @return {@code true} if no later message has been dropped from the log
     */
    public boolean hasAllAfter(RoomPosition position) {
        return position.log() == head.log() && position.entry() <= head.entry() && position.entry() >= head.entry() - count;
    }

    /**
     * Appends a player's chat message. A message that the log already contains is ignored, because players may send messages repeatedly.
     *
     * @throws IllegalArgumentException if the sequence number is higher than the next one of this player
     */
    void append(String login, long sequence, String text) {
        long last = lastSequences.getOrDefault(login, 0L);
        if (sequence > last + 1) {
            throw new IllegalArgumentException("sequence: " + sequence + " of " + login + " (expected: at most " + (last + 1) + ')');
        }
        if (sequence == last + 1) {
            lastSequences.put(login, sequence);
            add(new ServerMessage.Said(head.next(), login, sequence, text));
        }
    }

    /**
     * Adds a message that already has a position. If messages are missing before it, all earlier messages are dropped.
     *
     * @param said the message
     */
    public void add(ServerMessage.Said said) {
        count = said.position().follows(head) ? Math.min(kept, count + 1) : 1;
        head = said.position();
        ring[(int) (head.entry() % kept)] = ArenaCodec.encode(said);
    }

    /** Returns the encoded messages after a position, for which {@link #hasAllAfter} must return {@code true}. */
    List<byte[]> after(RoomPosition position, int most) {
        int size = (int) Math.min(most, head.entry() - position.entry());
        List<byte[]> messages = new ArrayList<>(size);
        for (int i = 1; i <= size; i++) {
            messages.add(ring[(int) ((position.entry() + i) % kept)]);
        }
        return messages;
    }
}
