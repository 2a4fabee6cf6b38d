package io.kcp.bench;

import picocli.CommandLine.Option;

/** Command-line option that selects whether the server and the clients run on different processors. */
final class PinningOption {

    @Option(names = "--no-pin", description = "do not pin the server to one processor and the clients to the others")
    boolean noPin;

    /** Returns the processors of the server and of a client process, and prints the reason if they cannot be assigned. */
    Pinning pinning() {
        Pinning pinning = noPin ? Pinning.unavailable("--no-pin") : Pinning.find();
        if (pinning.problem() != null) {
            System.err.println("not pinned, so the clients take processor time from the server: " + pinning.problem());
        }
        return pinning;
    }

    /** Moves this process, in which the clients run, to the processors of the clients if they can be assigned. */
    Pinning pinThisProcess() {
        Pinning pinning = pinning();
        if (pinning.problem() == null) {
            pinning.moveThisProcess();
        }
        return pinning;
    }
}
