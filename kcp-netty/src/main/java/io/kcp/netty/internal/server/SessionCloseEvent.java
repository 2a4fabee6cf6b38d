package io.kcp.netty.internal.server;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerCloseEvent;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/** The {@link KcpServerCloseEvent} of one session. */
final class SessionCloseEvent implements KcpServerCloseEvent {

    private final KcpChannel session;
    private int missing = 1;

    SessionCloseEvent(KcpChannel session) {
        this.session = session;
    }

    /**
     * Fires this event through the pipeline of the session, and then closes the session unless a handler delays the close. Must be called
     * on the event loop.
     */
    void fire() {
        session.pipeline().fireUserEventTriggered(this);
        countDown();
    }

    @Override
    public void waitFor(Future<?> done) {
        Objects.requireNonNull(done, "done");
        if (missing == 0) {
            throw new IllegalStateException(session + " is already being closed. Call waitFor() while the event is handled.");
        }
        missing++;
        done.addListener(ended -> onDone());
    }

    private void onDone() {
        EventLoop loop = session.eventLoop();
        if (loop.inEventLoop()) {
            countDown();
            return;
        }
        try {
            loop.execute(this::countDown);
        } catch (RejectedExecutionException ended) {
            // The event loop has terminated and has closed the session.
        }
    }

    private void countDown() {
        if (--missing == 0) {
            session.close();
        }
    }
}
