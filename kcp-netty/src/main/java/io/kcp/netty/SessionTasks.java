package io.kcp.netty;

import io.kcp.core.Kcp;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Runs tasks from any thread on the event loop of a session. If the event loop has terminated, the returned futures fail and notify their
 * listeners on {@link GlobalEventExecutor}.
 */
final class SessionTasks {

    private SessionTasks() {
        // Holds static methods only, so that an idle session needs no object for its tasks.
    }

    /** Runs a task on the event loop of the session. Returns {@code false}, without running the task, if the event loop has terminated. */
    static boolean run(DefaultKcpChannel session, Runnable task) {
        EventLoop loop = session.eventLoop();
        if (loop.inEventLoop()) {
            task.run();
            return true;
        }
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException terminated) {
            return false;
        }
    }

    /** Applies changed settings to the conversation of the session on its event loop. */
    static void applyConfig(DefaultKcpChannel session) {
        run(session, () -> {
            if (session.isServed()) {
                long nowMs = session.handler().loop().nowMs();
                Kcp conversation = session.kcp();
                conversation.reconfigure(session.config().kcp());
                applyOptions(session);
                SessionLiveness.watch(session, nowMs, conversation.inactiveMs((int) nowMs));
                session.resumeWrites();
                session.handler().flusher().flushSoon(session);
            }
        });
    }

    /** Applies the options that are not settings of the conversation. Must be called on the event loop of the session. */
    static void applyOptions(DefaultKcpChannel session) {
        KcpChannelConfig config = session.config();
        session.kcp().closeNotice().setEnabled(config.closeNotice());
        session.delivery.limit(config.maxMessagesPerIteration(), config.maxBytesPerIteration());
    }

    /** Runs a task on the event loop of the session, and returns a promise that the task must complete. */
    static ChannelFuture call(DefaultKcpChannel session, Consumer<ChannelPromise> task) {
        ChannelPromise promise = session.newPromise();
        return run(session, () -> task.accept(promise)) ? promise : failed(session);
    }

    /** Returns the statistics of an open session, or the final statistics of a closed session. */
    static Future<KcpSessionStats> collectStats(DefaultKcpChannel session) {
        Promise<KcpSessionStats> promise = session.eventLoop().newPromise();
        KcpSessionStats last = session.closing().lastStats();
        if (last != null) {
            promise.trySuccess(last);
        } else if (!run(session, () -> promise.trySuccess(session.stats()))) {
            return GlobalEventExecutor.INSTANCE.newFailedFuture(session.closedException());
        }
        return promise;
    }

    /** Returns a failed future that notifies its listeners even though the event loop of the session has terminated. */
    static ChannelFuture failed(DefaultKcpChannel session) {
        return new DefaultChannelPromise(session, GlobalEventExecutor.INSTANCE).setFailure(session.closedException());
    }
}
