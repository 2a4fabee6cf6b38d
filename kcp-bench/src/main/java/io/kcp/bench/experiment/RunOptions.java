package io.kcp.bench.experiment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command-line options of all experiments. */
final class RunOptions {

    private static final int MAX_SEED = 1_000_000;

    @Option(names = "--list", description = "list the cells and exit")
    boolean list;

    @Option(names = "--peers", split = ",",
        description = "peers to compare this library with, such as tcp or 'kcp-go fec 2:1' (all), or none to measure only this library")
    @Nullable List<String> peers;

    @Option(names = "--rounds", description = "number of runs of each cell, of which the median is reported (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--seconds", description = "measured time of a run in seconds (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--warmup", description = "warm-up in seconds (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--out", description = "JSON file for the values of all runs, which is rewritten after each run")
    @Nullable Path out;

    @Option(names = "--before", description = "commit or jar of an earlier build of this library, which becomes the peer 'before'")
    @Nullable String before;

    @Option(names = "--seed", description = "seed of the order of the cells in each round, and of random losses (random)")
    long seed = ThreadLocalRandom.current().nextInt(MAX_SEED);

    @Option(names = "--attempts",
        description = "attempts of a run that the host disturbs, of which the least disturbed one counts (${DEFAULT-VALUE})")
    int attempts = 1;

    @Option(names = "--interop", description = "directory of the other peers' programs (${DEFAULT-VALUE})")
    Path interop = Path.of("src", "interop", "build");

    @Option(names = "--jvm-option", description = "JVM option for the processes of this library; may be repeated")
    List<String> jvmOptions = new ArrayList<>();

    @Option(names = "--event-loops",
        description = "event loops of each end in all programs on the JVM; kcp-go has none and may use all processors (${DEFAULT-VALUE})")
    int eventLoops = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    /** Sets the default values of an experiment. */
    RunOptions(int rounds, double seconds, double warmupSeconds) {
        this.rounds = rounds;
        this.seconds = seconds;
        this.warmupSeconds = warmupSeconds;
    }

    RunOptions attempts(int number) {
        attempts = number;
        return this;
    }
}
