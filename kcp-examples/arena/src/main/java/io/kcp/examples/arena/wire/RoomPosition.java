package io.kcp.examples.arena.wire;

/**
 * Position of a chat message in the log of its room. Messages of a log are numbered without gaps, so a player that remembers the last
 * position it received detects every lost message.
 *
 * @param log   identifies the log; a room whose log was lost begins a new one with a higher number
 * @param entry number of the message in this log, from 1; 0 before the first one
 */
public record RoomPosition(long log, long entry) {

    /** Position before the first message of any log. */
    public static final RoomPosition START = new RoomPosition(0, 0);

    /**
     * Returns {@code true} if this position immediately follows another position.
     *
     * @param other a position in the same room
     * @return {@code true} if this is the next one
     */
    public boolean follows(RoomPosition other) {
        return log == other.log && entry == other.entry + 1;
    }

    /**
     * Returns the next position in the same log.
     *
     * @return the position that {@link #follows} this one
     */
    public RoomPosition next() {
        return new RoomPosition(log, entry + 1);
    }

    @Override
    public String toString() {
        return log + "-" + entry;
    }
}
