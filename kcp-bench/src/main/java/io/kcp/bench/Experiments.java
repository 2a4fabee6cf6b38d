package io.kcp.bench;

import io.kcp.bench.experiment.ExperimentCommands;

/**
 * Runs experiments that compare this library with other implementations, other protocols or an earlier commit.
 *
 * <pre>
 * experiments="java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Experiments"
 * $experiments side-by-side --out results.json
 * $experiments side-by-side --scenarios one-way,echo --peers kcp-go --rounds 3
 * $experiments regression --before HEAD~1
 * $experiments attack --list
 * $experiments attack --help
 * </pre>
 *
 * <p>Client and server are separate processes on this machine. Each round measures all cells once, in a shuffled order. Only ratios of
 * values from the same experiment are meaningful, because the speed of a machine changes over time.
 */
public final class Experiments {

    private Experiments() {
    }

    /** Runs the experiment that the first argument names, and exits with its status. */
    public static void main(String[] arguments) {
        System.exit(ExperimentCommands.newCommandLine().execute(arguments));
    }
}
