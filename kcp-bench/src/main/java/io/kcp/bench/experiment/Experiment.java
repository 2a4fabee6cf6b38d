package io.kcp.bench.experiment;

import java.io.IOException;
import java.util.List;

/** An experiment: cells, each of which returns metrics. */
interface Experiment {

    /** Returns the cells that can run on this machine with the options of the command, and prints a line for each peer that cannot. */
    List<Cell> cells() throws IOException, InterruptedException;

    /**
     * Returns {@code true} if a missed requirement fails the command. The groups of a gate are measured one after the other, so that the
     * two runs of a pair follow each other.
     */
    default boolean isGate() {
        return false;
    }

    /** Returns {@code true} if the cells of a group need no further rounds. Called after each round. */
    default boolean isDecided(String group, Results results) {
        return false;
    }

    /** Returns all requirements that could be checked. */
    default List<Requirement> requirements(Results results) {
        return List.of();
    }

    /** Returns {@code true} if the failure of a cell is a result rather than a failure of the experiment. */
    default boolean mayFail(Cell cell) {
        return false;
    }
}
