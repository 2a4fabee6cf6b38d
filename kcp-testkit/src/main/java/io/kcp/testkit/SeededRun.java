package io.kcp.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One simulation with a given seed, which {@link SeededRuns} starts. It collects the trace hashes of the simulated networks, and creates
 * capture files if the simulation repeats a failed one. A simulation may consist of several networks.
 */
public final class SeededRun {

    /** Maximum number of capture files per run. If a run has more networks, the files of the first networks are deleted. */
    private static final int MAX_CAPTURES = 4;

    private final long seed;
    private final @Nullable Path captures;
    private final String captureName;
    private final Deque<PcapFile> files = new ArrayDeque<>();
    private final TraceHash trace = new TraceHash();
    private int networks;

    SeededRun(long seed, @Nullable Path captures, String captureName) {
        this.seed = seed;
        this.captures = captures;
        this.captureName = captureName;
    }

    /**
     * Returns the seed.
     *
     * @return the seed of all random decisions
     */
    public long seed() {
        return seed;
    }

    /**
     * Creates a capture file for a simulated network, if this run repeats a failed run.
     *
     * @return the file, which {@link SeededRuns} closes, or null if nothing is to be captured
     */
    public @Nullable PcapFile newCapture() {
        networks++;
        if (captures == null) {
            return null;
        }
        if (files.size() == MAX_CAPTURES) {
            delete(files.remove());
        }
        PcapFile file = new PcapFile(captures.resolve(captureName + "-seed-" + seed + "-network-" + networks + ".pcap"));
        files.add(file);
        return file;
    }

    /**
     * Adds the trace hash of a simulated network. Called when the simulation of the network ends.
     *
     * @param hash the hash, for example {@link SimulatedNetwork#traceHash()}
     */
    public void addTrace(long hash) {
        trace.add(hash);
    }

    /** Returns a hash of the trace hashes of all networks. */
    long traceHash() {
        return trace.value();
    }

    /** Closes all capture files and returns their paths. */
    List<Path> close() {
        files.forEach(PcapFile::close);
        return files.stream().map(file -> file.path().toAbsolutePath()).toList();
    }

    private static void delete(PcapFile file) {
        file.close();
        try {
            Files.delete(file.path());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot delete " + file.path(), e);
        }
    }
}
