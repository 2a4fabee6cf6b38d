package io.kcp.spring.handler;

import java.util.concurrent.Executor;

/**
 * Where methods that block run.
 *
 * @param executor starts a thread for each task
 * @param sessions counts what is not done yet
 */
record BlockingThreads(Executor executor, BlockingSessions sessions) {
}
