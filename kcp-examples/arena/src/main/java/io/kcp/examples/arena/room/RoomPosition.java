package io.kcp.examples.arena.room;

/**
 * Where an entry stands in the log of its room. The entries of a log are counted without gaps, so who remembers the last position
 * it saw knows whether it misses something. Its text is that of an entry in a Redis stream, two unsigned numbers with a dash between.
 *
 * @param high which log: a room whose log was lost has a new one, which counts as later; unsigned
 * @param low  which entry of this log, from 1; unsigned
 */
public record RoomPosition(long high, long low) implements Comparable<RoomPosition> {

    /** Before every entry. */
    public static final RoomPosition START = new RoomPosition(0, 0);

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @param text two numbers with a dash between
     * @return the position
     * @throws IllegalArgumentException if it is something else
     */
    public static RoomPosition parse(String text) {
        int dash = text.indexOf('-');
        try {
            return new RoomPosition(Long.parseUnsignedLong(text, 0, dash, 10),
                Long.parseUnsignedLong(text, dash + 1, text.length(), 10));
        } catch (NumberFormatException | IndexOutOfBoundsException mistake) {
            throw new IllegalArgumentException("position: '" + text + "' (expected: two numbers with a dash between)", mistake);
        }
    }

    /**
     * Tells whether this comes later than another.
     *
     * @param other a position in the same room
     * @return whether it does
     */
    public boolean isAfter(RoomPosition other) {
        return compareTo(other) > 0;
    }

    /**
     * Tells whether this comes next: nothing is missing between another and this. If not, the log has forgotten what was between,
     * or was lost itself.
     *
     * @param other a position in the same room, {@link #START} before the first entry
     * @return whether it does
     */
    public boolean follows(RoomPosition other) {
        return low == other.low + 1 && (high == other.high || other.equals(START));
    }

    @Override
    public int compareTo(RoomPosition other) {
        int order = Long.compareUnsigned(high, other.high);
        return order != 0 ? order : Long.compareUnsigned(low, other.low);
    }

    @Override
    public String toString() {
        return Long.toUnsignedString(high) + '-' + Long.toUnsignedString(low);
    }
}
