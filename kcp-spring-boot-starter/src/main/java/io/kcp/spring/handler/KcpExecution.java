package io.kcp.spring.handler;

/** Where the methods of a {@link KcpController} run. */
public enum KcpExecution {
    /** On virtual threads with {@code spring.threads.virtual.enabled=true} on Java 21 or later, else on the event loop. */
    AUTO,
    /** On the event loop of the session: fastest, must not block. */
    EVENT_LOOP,
    /** On virtual threads, which needs Java 21 or later: may block. */
    VIRTUAL_THREADS
}
