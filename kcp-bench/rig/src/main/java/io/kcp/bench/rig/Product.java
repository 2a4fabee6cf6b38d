package io.kcp.bench.rig;

/**
 * One end of a library or protocol under load. Its fields with picocli annotations are options of the command line. Server and client may
 * be different classes.
 */
public interface Product {

    /**
     * Creates the event loops of the library. Called once, or once more if the client has a rehearsal.
     *
     * @throws IllegalArgumentException if the library does not support an option or the workload
     */
    Protocol start(Setup setup) throws Exception;
}
