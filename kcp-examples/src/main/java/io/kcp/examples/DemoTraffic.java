package io.kcp.examples;

import java.util.concurrent.TimeUnit;

/**
 * What the players of the demo send: small messages at even intervals, as in a game, whose bytes follow from their position.
 *
 * @param players      how many, each with a session
 * @param messages     how many messages each player sends
 * @param messageBytes size of each message
 * @param perSecond    how many messages each player sends in a second
 */
record DemoTraffic(int players, int messages, int messageBytes, double perSecond) {

    private static final long PATTERN = 0x9E3779B97F4A7C15L;
    private static final int PATTERN_SHIFT = 40;

    /** Returns when a player begins, counted from the start of all: the players take turns. */
    long beginNanos(int player) {
        return plannedNanos(1) * player / players;
    }

    /** Returns when a message is to be sent, counted from the first one. */
    long plannedNanos(int message) {
        return (long) (message / perSecond * TimeUnit.SECONDS.toNanos(1));
    }

    long bytesOfAPlayer() {
        return (long) messages * messageBytes;
    }

    double seconds() {
        return messages / perSecond;
    }

    /** Returns the byte at a position of all messages in their order. */
    static byte byteAt(long position) {
        return (byte) (position * PATTERN >>> PATTERN_SHIFT);
    }
}
