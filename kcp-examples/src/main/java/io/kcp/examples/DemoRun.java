package io.kcp.examples;

import java.io.IOException;
import java.util.List;

/** One contender of the demo while it runs; all of them run at the same time. */
interface DemoRun extends AutoCloseable {

    /** Has the players send, the first one at that time by {@link System#nanoTime}. */
    void begin(long atNanos) throws IOException;

    String name();

    /** Returns a name for the line that shows the progress, which is to fit into 80 columns. */
    String shortName();

    /** Returns one recorder for each player. */
    List<DelayRecorder> recorders();

    /** Throws what went wrong, if anything did. */
    void check() throws IOException;

    /** Returns the IP packets that both sides sent, lost ones and headers included, when all messages were delivered. */
    long wireBytes() throws IOException, InterruptedException;

    @Override
    void close();

    default int delivered() {
        return recorders().stream().mapToInt(DelayRecorder::delivered).sum();
    }

    default int messages() {
        return recorders().stream().mapToInt(recorder -> recorder.traffic().messages()).sum();
    }

    default DelaySeries delays() {
        return DelaySeries.of(recorders());
    }
}
