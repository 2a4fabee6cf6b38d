package io.kcp.netty;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/**
 * A user event in the pipeline of a session whose server closes ({@link KcpServerChannel#close()}): the session is about to be closed
 * too, as {@link KcpChannel#close()} does. A handler that has something to finish first can have that wait:
 *
 * <pre>{@code
 * public void userEventTriggered(ChannelHandlerContext context, Object event) {
 *     if (event instanceof KcpServerCloseEvent closing) {
 *         closing.waitFor(whatIsStillToBeAnswered);
 *     }
 *     context.fireUserEventTriggered(event);
 * }
 * }</pre>
 *
 * <p>Only this close waits. Whoever closes the session meanwhile ends it as always, and so does the end of its event loop. A session
 * that its application closes, or that is being closed already, sees no such event.
 */
public final class KcpServerCloseEvent {

    private final KcpChannel session;
    private int missing = 1;

    KcpServerCloseEvent(KcpChannel session) {
        this.session = session;
    }

    /** Shows this to the pipeline, and closes the session if nobody wants to wait. On the event loop. */
    void fire() {
        session.pipeline().fireUserEventTriggered(this);
        countDown();
    }

    /**
     * Has the close wait until a future is done, whether it succeeds or not. Nothing else bounds that time: the future must become
     * done. To be called on the event loop of the session while the event is handled.
     *
     * @param done what to wait for, completed by any thread
     * @throws IllegalStateException if the session is being closed by now
     */
    public void waitFor(Future<?> done) {
        Objects.requireNonNull(done, "done");
        if (missing == 0) {
            throw new IllegalStateException(session + " is being closed: wait while the event is handled, not later");
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
            // The session ended with its event loop.
        }
    }

    private void countDown() {
        if (--missing == 0) {
            session.close();
        }
    }
}
