package io.kcp.bench.rig;

import tools.jackson.databind.node.ObjectNode;

/** Generates one kind of load. */
public interface Workload {

    /** Generates the load and returns the event {@code result}. Interrupting the thread stops the workload. */
    ObjectNode run() throws InterruptedException;
}
