package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.world.PlayerInput;

/** What a player says to a gateway. */
public sealed interface ClientMessage extends ArenaMessage {

    /**
     * The first message of a session. The player draws its token, so that it may say this again on another session when no
     * {@link ServerMessage.Welcome} came.
     *
     * @param room           the room
     * @param name           the player's name
     * @param token          drawn at the first time, and the same each time it comes back
     * @param attempt        rises each time it says this, so that one that was late does not take the place of a later one
     * @param resume         whether it was in by this token before
     * @param after          the last message that it heard; {@link RoomPosition#START} at the first time
     * @param nextSequence   the number of the next {@link Say}: that of the first one without a {@link ServerMessage.Ack}; 1 at the
     *                       first time
     * @param takesOutOfBand whether snapshots may come out of band
     */
    record Join(String room, String name, Token token, int attempt, boolean resume, RoomPosition after, long nextSequence,
                boolean takesOutOfBand) implements ClientMessage {

        /** Checks the values. */
        public Join {
            Limits.name("room", room);
            Limits.name("name", name);
            Limits.positive("nextSequence", nextSequence);
        }
    }

    /**
     * What the player wants now. Is to be said at least once a second; who is silent for five vanishes.
     *
     * @param input what
     */
    record Input(PlayerInput input) implements ClientMessage {
    }

    /**
     * A message to all players of the room.
     *
     * @param sequence 1, 2, 3 and so on
     * @param text     at most {@value Limits#MAX_TEXT_BYTES} bytes of UTF-8
     */
    record Say(long sequence, String text) implements ClientMessage {

        /** Checks the values. */
        public Say {
            Limits.positive("sequence", sequence);
            Limits.text("text", text);
        }
    }

    /**
     * Asks for a {@link ServerMessage.Pong}.
     *
     * @param id          comes back
     * @param snapshots   how many snapshots came so far, so that the gateway knows how many got lost
     */
    record Ping(long id, int snapshots) implements ClientMessage {
    }

    /** The player goes for good; its name is free. */
    record Leave() implements ClientMessage {
    }
}
