package io.kcp.interop.peer;

/** A scenario of a load client. Each scenario runs on its own thread. */
interface Work {
    void run() throws Exception;
}
