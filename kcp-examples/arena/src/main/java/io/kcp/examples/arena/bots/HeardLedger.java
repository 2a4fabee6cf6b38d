package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import java.util.HashMap;
import java.util.Map;

/** Verifies that a bot receives every chat message of its room exactly once and in order. Not thread safe. */
final class HeardLedger {

    /**
     * Immutable copy of the counters that other threads can read.
     *
     * @param lastSequences number of the last message of each speaker, by login
     * @param count         messages received
     * @param missed        messages lost between two received messages of the same speaker
     * @param repeated      messages received more than once
     * @param jumps         gaps in the positions
     */
    record Heard(Map<String, Long> lastSequences, long count, long missed, long repeated, long jumps) {

        long lastSequence(String login) {
            return lastSequences.getOrDefault(login, 0L);
        }
    }

    private final Map<String, Long> lastSequences = new HashMap<>();
    private RoomPosition position;
    private long count;
    private long missed;
    private long repeated;
    private long jumps;

    HeardLedger(RoomPosition position) {
        this.position = position;
    }

    /**
     * Records a received chat message.
     *
     * @param fromFirst whether the bot has been in the room since before the speaker's first message
     */
    void hear(ServerMessage.Said said, boolean fromFirst) {
        Long last = fromFirst ? lastSequences.getOrDefault(said.login(), 0L) : lastSequences.get(said.login());
        boolean old = said.position().log() == position.log() && said.position().entry() <= position.entry();
        if (old || last != null && said.sequence() <= last) {
            repeated++;
            return;
        }
        if (last != null) {
            missed += said.sequence() - last - 1;
        }
        if (!said.position().follows(position)) {
            jumps++;
        }
        count++;
        position = said.position();
        lastSequences.put(said.login(), said.sequence());
    }

    RoomPosition position() {
        return position;
    }

    Heard heard() {
        return new Heard(Map.copyOf(lastSequences), count, missed, repeated, jumps);
    }
}
