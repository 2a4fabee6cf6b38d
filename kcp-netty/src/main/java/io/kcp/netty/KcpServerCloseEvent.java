package io.kcp.netty;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/**
 * A user event that is fired in the pipeline of each session when its server is closing ({@link KcpServerChannel#close()}). The session is
 * then closed with {@link KcpChannel#close()}. A handler with unfinished work can delay that close:
 *
 * <pre>{@code
 * public void userEventTriggered(ChannelHandlerContext context, Object event) {
 *     if (event instanceof KcpServerCloseEvent closing) {
 *         closing.waitFor(unfinishedWork);
 *     }
 *     context.fireUserEventTriggered(event);
 * }
 * }</pre>
 *
 * <p>Only the close by the server is delayed. A direct close of the session and the shutdown of its event loop take effect as usual. The
 * event is not fired for a session that is already being closed, for example by its application.
 */
public final class KcpServerCloseEvent {

    private final KcpChannel session;
    private int missing = 1;

    KcpServerCloseEvent(KcpChannel session) {
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

    /**
     * Delays the close of the session until a future has succeeded or failed. The delay has no time limit, so the future must complete.
     * Must be called on the event loop of the session while the event is handled.
     *
     * @param done the future to wait for; any thread may complete it
     * @throws IllegalStateException if the session is already being closed
     */
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
