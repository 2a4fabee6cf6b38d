package io.kcp.netty.internal.handler;

import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpSessionView;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.SessionHost;
import io.kcp.netty.internal.session.BatchedSessionVisit;
import io.kcp.netty.internal.socket.SocketReceiveBuffer;
import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Calls actions for the open sessions of one datagram channel, in several event-loop iterations if there are many sessions. */
public final class SessionVisits {

    private final SessionHost<DefaultKcpChannel> host;
    private final ListenerCounters counters;

    SessionVisits(SessionHost<DefaultKcpChannel> host, ListenerCounters counters) {
        this.host = host;
        this.counters = counters;
    }

    /** Collects the statistics of the channel and of all its sessions. Any thread may call it. */
    Future<KcpListenerStats> collectStats() {
        return onLoop(promise -> {
            List<DefaultKcpChannel> open = host.sessions().entries();
            Channel socket = host.channel();
            KcpListenerStats listener = counters.snapshot(socket, open.size(), host.loop());
            ListenerStatsCollector.start(host.context().executor(), open, listener,
                receiveQueue(socket), promise);
        });
    }

    /**
     * Calls an action for each active session. The future fails if the action throws an exception. Any thread may
     * call this method.
     */
    public Future<Void> visitActive(Consumer<KcpSessionView> action) {
        return onLoop(promise -> visitAll(session -> {
            if (session.isActive()) {
                action.accept(new KcpSessionView(session, host.loop().nowMs() - session.openedMs(), session.stats()));
            }
        }, promise, () -> promise.trySuccess(null)));
    }

    /**
     * Calls an action for each session that is open now. Must be called on the event loop.
     *
     * @param promise fails if the action throws an exception or the event loop rejects a task
     * @param then    runs after the last session, unless the promise is already completed
     */
    public void visitAll(Consumer<DefaultKcpChannel> action, Promise<?> promise, Runnable then) {
        new BatchedSessionVisit<>(host.context().executor(), host.sessions().entries(), action, promise, then).run();
    }

    /** Only sockets of the native transports of Linux report their receive buffers. The classes of these transports may be missing. */
    private static @Nullable SocketReceiveBuffer receiveQueue(Channel socket) {
        for (Class<?> type = socket.getClass(); type != null; type = type.getSuperclass()) {
            String name = type.getName();
            if (name.startsWith("io.netty.channel.epoll.") || name.startsWith("io.netty.channel.uring.")) {
                return SocketReceiveBuffer.of(socket);
            }
        }
        return null;
    }

    private <T> Future<T> onLoop(Consumer<Promise<T>> task) {
        EventExecutor executor = host.context().executor();
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
