package io.kcp.examples;

import java.io.IOException;
import java.util.List;

/** Traffic of one KCP preset or of TCP in the demo. All runs take place at the same time. */
interface DemoRun extends AutoCloseable {

    /** Starts sending. The first player sends its first message at the {@link System#nanoTime} {@code atNanos}. */
    void begin(long atNanos) throws IOException;

    String name();

    /** Returns a short name for the progress line. The whole line should fit into 80 columns. */
    String shortName();

    /** Returns the delay recorders of all players. */
    List<DelayRecorder> recorders();

    /** Throws an exception if a session or connection has failed. */
    void check() throws IOException;

    /**
     * Returns the total size, including headers, of all IP packets that both sides sent, lost packets included. Must be called after all
     * messages have been delivered.
     */
    long wireBytes() throws IOException, InterruptedException;

    /** Returns the longest time, in milliseconds, for which load on this computer has delayed a message. */
    default long longestStallMs() {
        return 0;
    }

    @Override
    void close();

    default int delivered() {
        return recorders().stream().mapToInt(DelayRecorder::delivered).sum();
    }

    default int messages() {
        return recorders().stream().mapToInt(recorder -> recorder.traffic().messages()).sum();
    }

    default DelaySeries delays() {
        return new DelaySeries(recorders());
    }
}
