package io.kcp.bench;

/** One kind of work of a client. */
interface ClientWork {

    /** Does it and returns the result. */
    JsonLine run();
}
