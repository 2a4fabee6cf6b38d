package io.kcp.interop.peer;

/** A scenario of a load client, which runs on a thread of its own. */
interface Work {
    void run() throws Exception;
}
