package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.world.WorldView;

/** What a gateway says to a player. */
public sealed interface ServerMessage extends ArenaMessage {

    /**
     * The player is in.
     *
     * @param login    its name and what tells this login from others: a {@code ~} and 24 hex digits
     * @param resumed  whether it came back and hears what it missed; not if its name had become free meanwhile
     * @param position what it hears comes after this
     * @param gateway  which gateway this is, for people
     */
    record Welcome(String login, boolean resumed, RoomPosition position, String gateway) implements ServerMessage {

        /** Checks the values. */
        public Welcome {
            Limits.login("login", login);
            Limits.gateway("gateway", gateway);
        }
    }

    /**
     * How the world looks. Comes out of band where the player takes that: some are lost, and some overtake others.
     *
     * @param view the world
     */
    record Snapshot(WorldView view) implements ServerMessage {
    }

    /**
     * Somebody said something in the room.
     *
     * @param position where it stands in the room
     * @param login    who
     * @param sequence which message of this login it is
     * @param text     what
     */
    record Said(RoomPosition position, String login, long sequence, String text) implements ServerMessage {

        /** Checks the values. */
        public Said {
            Limits.login("login", login);
            Limits.positive("sequence", sequence);
            Limits.text("text", text);
        }
    }

    /**
     * A {@link ClientMessage.Say} is in the room for good.
     *
     * @param sequence its number
     * @param position where it stands
     */
    record Ack(long sequence, RoomPosition position) implements ServerMessage {

        /** Checks the values. */
        public Ack {
            Limits.positive("sequence", sequence);
        }
    }

    /**
     * Answers a {@link ClientMessage.Ping}.
     *
     * @param id what was asked with
     */
    record Pong(long id) implements ServerMessage {
    }

    /**
     * The gateway closes this session.
     *
     * @param reason why, and whether to come back
     * @param text   for people
     */
    record Kicked(KickReason reason, String text) implements ServerMessage {

        /** Checks the values. */
        public Kicked {
            Limits.text("text", text);
        }
    }
}
