package io.kcp.bench;

/** Runs a transfer of one implementation, each end in a process of its own. */
interface TransferRunner {

    /** Long enough for everything that is not the measured time. */
    int PATIENCE_SECONDS = 60;

    TransferResult run(TransferKind kind);
}
