package io.kcp.spring.handler;

import java.util.concurrent.Executor;

/**
 * The threads on which controller methods may block.
 *
 * @param executor starts a thread for each task
 * @param sessions counts the sessions whose events are handled on these threads
 */
record BlockingThreads(Executor executor, BlockingSessions sessions) {
}
