package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import java.util.HashMap;
import java.util.Map;

/**
 * What a bot has heard: whether the messages of each speaker come one by one, none missing, none twice. Of a speaker that was there
 * before it, any message may be the first; but positions count the messages of all.
 */
final class HeardLedger {

    /**
     * What was heard until some moment; it does not change.
     *
     * @param lastSequences the number of the last message of each speaker, by login
     * @param count         messages heard
     * @param missed        messages that did not come
     * @param repeated      messages that came again
     * @param jumps         how often positions left some out
     */
    record Heard(Map<String, Long> lastSequences, long count, long missed, long repeated, long jumps) {

        /** Returns the number of the last message of a speaker, 0 if there was none. */
        long lastSequence(String login) {
            return lastSequences.getOrDefault(login, 0L);
        }
    }

    private final Map<String, Long> lastSequences = new HashMap<>();
    private RoomPosition position;
    private long heard;
    private long missed;
    private long repeated;
    private long jumps;

    HeardLedger(RoomPosition position) {
        this.position = position;
    }

    /**
     * Counts a message.
     *
     * @param fromFirst whether all messages of its speaker were to be heard
     */
    void hear(ServerMessage.Said said, boolean fromFirst) {
        Long last = fromFirst ? lastSequences.getOrDefault(said.login(), 0L) : lastSequences.get(said.login());
        if (!said.position().isAfter(position) || last != null && said.sequence() <= last) {
            repeated++;
            return;
        }
        if (last != null) {
            missed += said.sequence() - last - 1;
        }
        if (!said.position().follows(position)) {
            jumps++;
        }
        heard++;
        position = said.position();
        lastSequences.put(said.login(), said.sequence());
    }

    RoomPosition position() {
        return position;
    }

    /** Returns what it has heard until now, for other threads. */
    Heard heard() {
        return new Heard(Map.copyOf(lastSequences), heard, missed, repeated, jumps);
    }
}
