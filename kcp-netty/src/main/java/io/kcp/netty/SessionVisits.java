package io.kcp.netty;

import io.kcp.netty.session.SessionSweep;
import io.kcp.netty.socket.ReceiveQueue;
import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** Calls actions for the open sessions of one {@link KcpHandler}, in several event-loop iterations if there are many sessions. */
final class SessionVisits {

    private final KcpHandler handler;

    SessionVisits(KcpHandler handler) {
        this.handler = handler;
    }

    /** Collects the statistics of all sessions for {@link KcpHandler#collectStats}. Any thread may call it. */
    Future<KcpListenerStats> collectStats() {
        return onLoop(promise -> {
            List<DefaultKcpChannel> open = handler.sessions().entries();
            KcpListenerStats listener =
                handler.counters().snapshot(handler.datagramChannel(), open.size(), handler.loop());
            Channel socket = handler.datagramChannel();
            ListenerStatsCollector.start(handler.context().executor(), open, listener,
                KcpTransport.reportsReceiveQueue(socket) ? ReceiveQueue.of(socket) : null, promise);
        });
    }

    /**
     * Calls an action for each active session of the {@link KcpHandler}. The future fails if the action throws an exception. Any thread may
     * call this method.
     */
    Future<Void> visitActive(Consumer<KcpSessionView> action) {
        return onLoop(promise -> visitAll(session -> {
            if (session.isActive()) {
                action.accept(new KcpSessionView(session, handler.loop().nowMs() - session.openedMs, session.stats()));
            }
        }, promise, () -> promise.trySuccess(null)));
    }

    /**
     * Calls an action for each session that is open now. Must be called on the event loop.
     *
     * @param promise fails if the action throws an exception or the event loop rejects a task
     * @param then    runs after the last session, unless the promise is already completed
     */
    void visitAll(Consumer<DefaultKcpChannel> action, Promise<?> promise, Runnable then) {
        new SessionSweep<>(handler.context().executor(), handler.sessions().entries(), action, promise, then).run();
    }

    private <T> Future<T> onLoop(Consumer<Promise<T>> task) {
        EventExecutor executor = handler.context().executor();
        Promise<T> promise = executor.newPromise();
        if (executor.inEventLoop()) {
            task.accept(promise);
            return promise;
        }
        try {
            executor.execute(() -> task.accept(promise));
            return promise;
        } catch (RejectedExecutionException ended) {
            return GlobalEventExecutor.INSTANCE.newFailedFuture(ended);
        }
    }
}
