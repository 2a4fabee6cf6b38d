package io.kcp.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A recorded variable rate of a link, in the text format of mahimahi. Each line contains a time in milliseconds at which the link can
 * deliver {@value #OPPORTUNITY_BYTES} bytes. The times increase or stay the same. After the last time, which is the duration of the trace,
 * the trace repeats. An opportunity that finds no datagram in the queue is lost. One opportunity may deliver several small datagrams, or a
 * part of a datagram.
 *
 * <p>Instances are immutable.
 */
public final class DeliveryTrace {

    /** Number of bytes that the link can deliver at each time of the trace, including framing. */
    public static final int OPPORTUNITY_BYTES = 1_500;

    private static final int US_PER_MS = 1_000;

    private final long[] timesUs;
    private final long durationUs;

    private DeliveryTrace(long[] timesUs) {
        this.timesUs = timesUs;
        durationUs = timesUs[timesUs.length - 1];
    }

    /**
     * Reads a trace from a file.
     *
     * @param file a text file with one time in milliseconds per line
     * @return the trace
     * @throws IOException              if the file cannot be read
     * @throws IllegalArgumentException if a line is not a time, a time is lower than the previous one, or the duration is 0
     */
    public static DeliveryTrace read(Path file) throws IOException {
        return parse(Files.readAllLines(file));
    }

    /**
     * Parses the lines of a trace.
     *
     * @param lines one time in milliseconds per line; empty lines are ignored
     * @return the trace
     * @throws IllegalArgumentException if a line is not a time, a time is lower than the previous one, or the duration is 0
     */
    public static DeliveryTrace parse(List<String> lines) {
        long[] timesUs = new long[lines.size()];
        int count = 0;
        long previousMs = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty()) {
                continue;
            }
            long ms = parseMs(line, i + 1);
            if (ms < previousMs) {
                throw new IllegalArgumentException("line " + (i + 1) + ": " + line + " (expected: at least " + previousMs + ')');
            }
            previousMs = ms;
            timesUs[count++] = ms * US_PER_MS;
        }
        if (previousMs == 0) {
            throw new IllegalArgumentException("lines: the last time is missing or 0 (expected: the duration in milliseconds)");
        }
        return new DeliveryTrace(Arrays.copyOf(timesUs, count));
    }

    private static long parseMs(String line, int number) {
        try {
            return Integer.parseUnsignedInt(line);
        } catch (NumberFormatException malformed) {
            throw new IllegalArgumentException("line " + number + ": " + line + " (expected: a time in milliseconds)", malformed);
        }
    }

    /**
     * Returns the time after which the trace repeats.
     *
     * @return milliseconds
     */
    public long durationMs() {
        return durationUs / US_PER_MS;
    }

    /**
     * Returns the mean rate of the trace.
     *
     * @return bits per second
     */
    public long meanBitsPerSecond() {
        return 8_000_000L * timesUs.length * OPPORTUNITY_BYTES / durationUs;
    }

    /** Returns a new position at the start of the trace. */
    Position start() {
        return new Position(this);
    }

    /** Returns the time of an opportunity. The trace repeats, so every number is valid. */
    private long timeUs(long number) {
        return number / timesUs.length * durationUs + timesUs[(int) (number % timesUs.length)];
    }

    /** Returns the number of the first opportunity at or after a time. */
    private long firstAtOrAfter(long us) {
        // A time at the end of the trace belongs to both the last opportunities and to the start of the repetition.
        long repetition = Math.max(0, (us - 1) / durationUs);
        long withinUs = us - repetition * durationUs;
        int low = 0;
        int high = timesUs.length;
        while (low < high) {
            int middle = low + high >>> 1;
            if (timesUs[middle] < withinUs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return repetition * timesUs.length + low;
    }

    /** The opportunity that a link uses. */
    static final class Position {

        private final DeliveryTrace trace;
        private long number;
        private int leftBytes = OPPORTUNITY_BYTES;

        private Position(DeliveryTrace trace) {
            this.trace = Objects.requireNonNull(trace, "trace");
        }

        /**
         * Returns the time at which the link has delivered a datagram.
         *
         * @param linkBytes size of the datagram including framing
         * @param startUs   the earliest time at which the transmission may start; must not be lower than in earlier calls
         */
        long departureUs(int linkBytes, long startUs) {
            if (trace.timeUs(number) < startUs) {
                number = trace.firstAtOrAfter(startUs);
                leftBytes = OPPORTUNITY_BYTES;
            }
            int bytes = linkBytes;
            while (bytes > leftBytes) {
                bytes -= leftBytes;
                number++;
                leftBytes = OPPORTUNITY_BYTES;
            }
            leftBytes -= bytes;
            return trace.timeUs(number);
        }
    }
}
