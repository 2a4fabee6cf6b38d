package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.world.PlayerInput;

/** A message from a player to a gateway. */
public sealed interface ClientMessage extends ArenaMessage {

    /**
     * Requests admission to a room. This is the first message of a session. A player that has lost its session sends the message again on a
     * new session, with the same token.
     *
     * @param room         the room
     * @param name         the name that other players see
     * @param token        the player's secret, which identifies the player in the room
     * @param attempt      a number that increases with each join of this player, so that a delayed join does not replace a later one
     * @param resume {@code true} if the player resumes and requests all chat messages after {@code after}
     * @param after        position of the last message that the player received; {@link RoomPosition#START} without {@code resume}
     * @param nextSequence number of the next {@link Say}, which is the oldest one without an {@link ServerMessage.Ack}; initially 1
     */
    record Join(String room, String name, Token token, int attempt, boolean resume, RoomPosition after, long nextSequence)
        implements ClientMessage {

        /** Checks the values. */
        public Join {
            Limits.name("room", room);
            Limits.name("name", name);
            Limits.positive("nextSequence", nextSequence);
        }
    }

    /**
     * Changes the movement, aim and firing of the player's fighter. A fighter without an input for five seconds leaves the world.
     *
     * @param input the new input
     */
    record Input(PlayerInput input) implements ClientMessage {
    }

    /**
     * Sends a chat message to all players of the room.
     *
     * @param sequence number of the message, starting with 1
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
     * Requests a {@link ServerMessage.Pong}, so that the player can measure the round-trip time.
     *
     * @param id        a number that the pong contains
     * @param snapshots number of snapshots received in this session, from which the gateway computes the loss of snapshots
     */
    record Ping(long id, int snapshots) implements ClientMessage {
    }

    /** Leaves the room permanently, so that the player's fighter disappears immediately. */
    record Leave() implements ClientMessage {
    }
}
