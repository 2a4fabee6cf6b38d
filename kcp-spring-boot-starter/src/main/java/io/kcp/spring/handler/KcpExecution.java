package io.kcp.spring.handler;

/** Where the methods of a {@link KcpController} run. */
public enum KcpExecution {
    /** On virtual threads if {@code spring.threads.virtual.enabled=true} and Java is 21 or later; otherwise on the event loop. */
    AUTO,
    /** On the event loop of the session, which is fastest. Methods must not block. */
    EVENT_LOOP,
    /** On virtual threads, which require Java 21 or later. Methods may block. */
    VIRTUAL_THREADS
}
