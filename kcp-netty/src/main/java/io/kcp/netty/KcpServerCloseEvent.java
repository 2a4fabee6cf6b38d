package io.kcp.netty;

import io.netty.util.concurrent.Future;

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
public interface KcpServerCloseEvent {

    /**
     * Delays the close of the session until a future has succeeded or failed. The delay has no time limit, so the future must complete.
     * Must be called on the event loop of the session while the event is handled.
     *
     * @param done the future to wait for; any thread may complete it
     * @throws IllegalStateException if the session is already being closed
     */
    void waitFor(Future<?> done);
}
