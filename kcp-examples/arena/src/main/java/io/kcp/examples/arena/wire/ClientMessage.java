package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.world.PlayerInput;
import org.jspecify.annotations.Nullable;

/** What a player says to a gateway. */
public sealed interface ClientMessage extends ArenaMessage {

    /**
     * The first message of a session.
     *
     * @param room         the room
     * @param name         the player's name
     * @param token        what an earlier {@link ServerMessage.Welcome} gave; null for the first time
     * @param after        with a token, the last message that the player has heard
     * @param nextSequence with a token, the number of the next {@link Say}: that of the first one without a {@link ServerMessage.Ack};
     *                     1 without
     * @param takesOutOfBand whether snapshots may come out of band
     */
    record Join(String room, String name, @Nullable Token token, RoomPosition after, long nextSequence, boolean takesOutOfBand)
        implements ClientMessage {

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
