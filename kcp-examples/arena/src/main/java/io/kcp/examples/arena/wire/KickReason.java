package io.kcp.examples.arena.wire;

/** Why a gateway closes a session. */
public enum KickReason {
    /** The gateway goes down; another one takes the player. */
    DRAINING(true),
    /** The gateway cannot reach what it shares with the others. */
    UNAVAILABLE(true),
    /** What was said to the player piled up. */
    TOO_SLOW(true),
    /**
     * What the player remembers the gateways have forgotten: it may come in anew, by the same name and with another token. The name is
     * free when it hears this.
     */
    EXPIRED(true),
    /** The same player came in again elsewhere. */
    TAKEN_OVER(false),
    /** Somebody else has the name. */
    NAME_TAKEN(false),
    /** The room has no place left now: the player may ask again later, and waits longer each time. Who comes back has a place. */
    ROOM_FULL(true),
    /** What came was no message of the arena, or not its turn. */
    PROTOCOL(false),
    /** The player said more messages than one may. */
    TOO_FAST(false),
    /** The player has wanted nothing for long, and others may want its place. */
    IDLE(false);

    private final boolean comeBack;

    KickReason(boolean comeBack) {
        this.comeBack = comeBack;
    }

    /**
     * Tells whether the player should connect again: at once, save after {@link #ROOM_FULL}.
     *
     * @return whether it should
     */
    public boolean comeBack() {
        return comeBack;
    }
}
