package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.world.WorldView;

/** A message from a gateway to a player. */
public sealed interface ServerMessage extends ArenaMessage {

    /**
     * Sent in response to {@link ClientMessage.Join} when the player has entered the room.
     *
     * @param login    identifies the player to others: its name, {@code ~} and a hash of its token
     * @param resumed  whether the player resumes, and receives all chat messages after {@code position}
     * @param position position of the message before the first one that the player receives
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
     * Contains a view of the world. If possible, snapshots are sent out of band, so they may be lost or reordered.
     *
     * @param view the world
     */
    record Snapshot(WorldView view) implements ServerMessage {
    }

    /**
     * A chat message sent by a player.
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
     * Confirms that a {@link ClientMessage.Say} has been published in the room and will not be lost.
     *
     * @param sequence number of the message
     */
    record Ack(long sequence) implements ServerMessage {

        /** Checks the values. */
        public Ack {
            Limits.positive("sequence", sequence);
        }
    }

    /**
     * Sent in response to {@link ClientMessage.Ping}.
     *
     * @param id the id of the ping
     */
    record Pong(long id) implements ServerMessage {
    }

    /**
     * Announces that the gateway is closing the session, and reports the reason.
     *
     * @param reason the reason, which also determines whether the player should reconnect
     * @param text   human-readable explanation
     */
    record Kicked(KickReason reason, String text) implements ServerMessage {

        /** Checks the values. */
        public Kicked {
            Limits.text("text", text);
        }
    }
}
