package io.kcp.examples;

import java.io.IOException;
import java.util.List;

/** A running contender of the demo. All contenders run at the same time. */
interface DemoRun extends AutoCloseable {

    /** Starts sending. The first player sends its first message at the {@link System#nanoTime} {@code atNanos}. */
    void begin(long atNanos) throws IOException;

    String name();

    /** Returns a short name for the progress line, which should fit into 80 columns. */
    String shortName();

    /** Returns the recorders, one for each player. */
    List<DelayRecorder> recorders();

    /** Throws an exception if this contender has failed. */
    void check() throws IOException;

    /**
     * Returns the bytes of all IP packets that both sides sent, including lost packets and headers. Must be called after all messages
     * were delivered.
     */
    long wireBytes() throws IOException, InterruptedException;

    /** Returns the longest additional delay, in milliseconds, of a datagram on any link that was caused by load on this computer. */
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
