package io.kcp.bench.experiment;

import picocli.CommandLine.Option;

/** Experiment in which the server runs on the first processor and the clients on the others. */
abstract class PinnedCommand extends ExperimentCommand {

    @Option(names = "--no-pin", description = "do not pin the server to one processor and the clients to the others")
    boolean noPin;

    PinnedCommand(RunOptions run) {
        super(run);
    }

    /** Returns the processors of the server and of a client process, and prints the reason if they cannot be assigned. */
    Pinning pinning() {
        return pinning(noPin);
    }

    static Pinning pinning(boolean noPin) {
        Pinning pinning = noPin ? Pinning.unavailable("--no-pin") : Pinning.find();
        if (pinning.problem() != null) {
            System.err.println("not pinned, so the clients take processor time from the server: " + pinning.problem());
        }
        return pinning;
    }

    /** Moves this process, in which the clients run, to the processors of the clients if they can be assigned. */
    Pinning pinThisProcess() {
        Pinning pinning = pinning();
        if (pinning.problem() == null && !run.list) {
            pinning.moveThisProcess();
        }
        return pinning;
    }
}
