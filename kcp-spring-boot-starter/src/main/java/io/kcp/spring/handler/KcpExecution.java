package io.kcp.spring.handler;

/** Kind of thread on which the methods of a {@link KcpController} are called. */
public enum KcpExecution {
    /**
     * Calls methods on virtual threads if {@code spring.threads.virtual.enabled=true} and Java is 21 or later, otherwise on the event loop.
     */
    AUTO,
    /** Calls methods on the event loop of the session. This is the fastest option, but the methods must not block. */
    EVENT_LOOP,
    /** Calls methods on virtual threads, which require Java 21 or later. The methods may block. */
    VIRTUAL_THREADS
}
