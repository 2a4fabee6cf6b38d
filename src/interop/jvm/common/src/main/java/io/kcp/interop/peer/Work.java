package io.kcp.interop.peer;

/** What a load client does, in a thread of its own. */
interface Work {
    void run() throws Exception;
}
