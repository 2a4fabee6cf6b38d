package io.kcp.examples.arena.wire;

/** Reason why a gateway closes a session. */
public enum KickReason {
    /** The gateway is shutting down. The player may reconnect to another gateway, or later to the same one. */
    DRAINING(true),
    /** The gateway cannot reach the data that it shares with other gateways. */
    UNAVAILABLE(true),
    /** The room has deleted messages that the resuming player has not received. The player may join again with a new token. */
    EXPIRED(true),
    /** The room is full. The player may try again later with increasing delays. */
    ROOM_FULL(true),
    /** The same player has joined again through another session. */
    TAKEN_OVER(false),
    /** The player sent a malformed or unexpected message. */
    PROTOCOL(false),
    /** The player sent more chat messages than allowed. */
    TOO_FAST(false),
    /** The player sent no input for a long time, and its place in the room is needed for other players. */
    IDLE(false);

    private final boolean comeBack;

    KickReason(boolean comeBack) {
        this.comeBack = comeBack;
    }

    /**
     * Returns {@code true} if the player should connect again.
     *
     * @return {@code true} if the reason is temporary
     */
    public boolean comeBack() {
        return comeBack;
    }
}
