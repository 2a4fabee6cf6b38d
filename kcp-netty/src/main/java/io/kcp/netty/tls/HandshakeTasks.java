package io.kcp.netty.tls;

import io.kcp.netty.KcpChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs the tasks of one session's handshake on another thread. The session reads nothing while a task waits or runs. Tasks of sessions that
 * are closed before their tasks begin are not run.
 */
final class HandshakeTasks implements Executor {

    private final KcpChannel session;
    private final RecordAssembler decoder;
    private final Executor executor;

    HandshakeTasks(KcpChannel session, RecordAssembler decoder, Executor executor) {
        this.session = session;
        this.decoder = decoder;
        this.executor = executor;
    }

    /** Called on the event loop of the session. */
    @Override
    public void execute(Runnable task) {
        decoder.onTaskStarted();
        try {
            executor.execute(() -> run(task));
        } catch (RejectedExecutionException | OutOfMemoryError rejected) {
            decoder.onTaskEnded();
            throw rejected;
        }
    }

    private void run(Runnable task) {
        if (!session.isOpen()) {
            return;
        }
        try {
            task.run();
        } finally {
            try {
                // Runs after the SslHandler's own task, which was submitted earlier and processes the result of this task.
                session.eventLoop().execute(decoder::onTaskEnded);
            } catch (RejectedExecutionException terminated) {
                // The session was closed together with its event loop.
            }
        }
    }
}
