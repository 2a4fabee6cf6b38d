package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.world.WorldView;

/** A message from a gateway to a player. */
public sealed interface ServerMessage extends ArenaMessage {

    /**
     * Answers a {@link ClientMessage.Join}: the player is in the room.
     *
     * @param login    identifies the player to others: its name, {@code ~} and a hash of its token
     * @param resumed  whether the player goes on where it was, and receives everything said after {@code position}
     * @param position position of the last message that the player does not receive
     * @param gateway  name of the gateway
     */
    record Welcome(String login, boolean resumed, RoomPosition position, String gateway) implements ServerMessage {

        /** Checks the values. */
        public Welcome {
            Limits.login("login", login);
            Limits.gateway("gateway", gateway);
        }
    }

    /**
     * Shows the world. Sent out of band where the session can, so snapshots may be lost or reordered.
     *
     * @param view the world
     */
    record Snapshot(WorldView view) implements ServerMessage {
    }

    /**
     * A message of a player.
     *
     * @param position position in the room
     * @param login    the player
     * @param sequence number of the message among those of this player
     * @param text     the text
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
     * Confirms that a {@link ClientMessage.Say} is in the room and will not be lost.
     *
     * @param sequence its number
     */
    record Ack(long sequence) implements ServerMessage {

        /** Checks the values. */
        public Ack {
            Limits.positive("sequence", sequence);
        }
    }

    /**
     * Answers a {@link ClientMessage.Ping}.
     *
     * @param id the id of the ping
     */
    record Pong(long id) implements ServerMessage {
    }

    /**
     * Announces that the gateway closes this session.
     *
     * @param reason the reason, which also says whether to come back
     * @param text   explanation for people
     */
    record Kicked(KickReason reason, String text) implements ServerMessage {

        /** Checks the values. */
        public Kicked {
            Limits.text("text", text);
        }
    }
}
