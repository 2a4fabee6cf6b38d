package io.kcp.examples;

import java.util.concurrent.TimeUnit;

/**
 * Describes the traffic of the demo: as in a game, each player sends small messages at regular intervals. The value of each byte is
 * computed from its position, so that the receiver can verify it.
 *
 * @param players      the number of players, each of which has its own session
 * @param messages     the number of messages that each player sends
 * @param messageBytes the size of each message
 * @param perSecond    the number of messages that each player sends per second
 */
record DemoTraffic(int players, int messages, int messageBytes, double perSecond) {

    private static final long PATTERN = 0x9E3779B97F4A7C15L;
    private static final int PATTERN_SHIFT = 40;

    /**
     * Returns the start time of a player relative to the start time of the first player. Start times are spread evenly over one interval.
     */
    long beginNanos(int player) {
        return plannedNanos(1) * player / players;
    }

    /** Returns the scheduled send time of a message relative to that of the player's first message. */
    long plannedNanos(int message) {
        return (long) (message / perSecond * TimeUnit.SECONDS.toNanos(1));
    }

    long bytesOfAPlayer() {
        return (long) messages * messageBytes;
    }

    double seconds() {
        return messages / perSecond;
    }

    /** Returns the byte at a position in the concatenation of all messages of a player. */
    static byte byteAt(long position) {
        return (byte) (position * PATTERN >>> PATTERN_SHIFT);
    }
}
