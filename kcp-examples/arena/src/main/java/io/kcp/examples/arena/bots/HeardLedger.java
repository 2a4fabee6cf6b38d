package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import java.util.HashMap;
import java.util.Map;

/**
 * What a bot has heard: whether the messages of each speaker come one by one, none missing, none twice. Of a speaker that was there
 * before it, any message may be the first.
 */
final class HeardLedger {

    private final Map<String, Long> lastSequences = new HashMap<>();
    private RoomPosition position;
    private long heard;
    private long missed;
    private long repeated;

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
        heard++;
        position = said.position();
        lastSequences.put(said.login(), said.sequence());
    }

    RoomPosition position() {
        return position;
    }

    /** Returns the number of the last message of a speaker, 0 if there was none. */
    long lastSequence(String login) {
        return lastSequences.getOrDefault(login, 0L);
    }

    long heard() {
        return heard;
    }

    long missed() {
        return missed;
    }

    long repeated() {
        return repeated;
    }
}
