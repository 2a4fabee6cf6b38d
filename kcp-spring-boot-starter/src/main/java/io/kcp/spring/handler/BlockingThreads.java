package io.kcp.spring.handler;

import java.util.concurrent.Executor;

/**
 * Starts threads on which controller methods may block, and counts the sessions that use these threads.
 *
 * @param executor starts a thread for each task
 * @param sessions counts the sessions whose events are handled on these threads
 */
record BlockingThreads(Executor executor, BlockingSessions sessions) {
}
