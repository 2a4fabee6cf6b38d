package io.kcp.examples.arena.wire;

/** Why a gateway closes a session. */
public enum KickReason {
    /** The gateway shuts down; another one, or the same one later, takes the player. */
    DRAINING(true),
    /** The gateway cannot reach what it shares with other gateways. */
    UNAVAILABLE(true),
    /** The room no longer has what the player wants to resume from: it may join anew, with another token. */
    EXPIRED(true),
    /** The room has no place left: the player may ask again later, after growing pauses. */
    ROOM_FULL(true),
    /** The same player joined again by another session. */
    TAKEN_OVER(false),
    /** A message was malformed or came out of turn. */
    PROTOCOL(false),
    /** The player said more messages than allowed. */
    TOO_FAST(false),
    /** No input came for long, and others may want the place. */
    IDLE(false);

    private final boolean comeBack;

    KickReason(boolean comeBack) {
        this.comeBack = comeBack;
    }

    /**
     * Returns {@code true} if the player should connect again.
     *
     * @return {@code true} for reasons that pass
     */
    public boolean comeBack() {
        return comeBack;
    }
}
