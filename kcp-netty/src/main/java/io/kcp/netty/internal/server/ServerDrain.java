package io.kcp.netty.internal.server;

import io.kcp.netty.KcpServerCloseEvent;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * Closes all sessions of a server, and then its sockets. Each session waits for its handlers ({@link KcpServerCloseEvent}) and for its
 * linger time. No socket closes before the last session of all sockets, because the socket would leave the group that shares the port, and
 * the kernel would deliver acknowledgements of the remaining sessions to the wrong sockets. Sessions are closed in several event-loop
 * iterations, so that sessions with data in flight are served in between.
 */
public final class ServerDrain {

    private final EventLoop loop;
    private final List<Channel> sockets;
    private final Runnable then;
    /** Number of sockets that still have open sessions. */
    private int undrained;
    private int openSockets;
    private boolean closingSockets;

    /**
     * Creates an object that closes the sessions and sockets of one server once {@link #start} is called.
     *
     * @param loop    the event loop of the server channel, on which this object is used
     * @param sockets the sockets of the server
     * @param then    called on that event loop when all sockets are closed, unless the event loop shuts down first
     */
    public ServerDrain(EventLoop loop, List<Channel> sockets, Runnable then) {
        this.loop = loop;
        this.sockets = sockets;
        this.then = then;
    }

    /**
     * Starts closing the sessions of all sockets, each socket on its own event loop.
     *
     * @param handlers the handlers of the sockets, in the order of the sockets
     */
    public void start(List<DefaultKcpHandler> handlers) {
        undrained = sockets.size();
        openSockets = sockets.size();
        for (int i = 0; i < sockets.size(); i++) {
            EventLoop socketLoop = sockets.get(i).eventLoop();
            if (sockets.get(i).closeFuture().isDone()) {
                // Counts the closed socket here, because its event loop may have terminated and would then not notify a listener.
                onLoop(this::countClosed);
            } else {
                sockets.get(i).closeFuture().addListener(closed -> onLoop(this::countClosed));
            }
            DefaultKcpHandler handler = handlers.get(i);
            try {
                socketLoop.execute(() -> drain(socketLoop, handler));
            } catch (RejectedExecutionException ended) {
                // The event loop has terminated and has closed the sessions of the socket.
                onLoop(this::countDrained);
            }
        }
    }

    /** Returns {@code true} once all sessions are closed and the closing of the sockets has started. */
    boolean isClosingSockets() {
        return closingSockets;
    }

    private void drain(EventLoop socketLoop, DefaultKcpHandler handler) {
        try {
            closeSessions(socketLoop, handler).addListener(drained -> onLoop(this::countDrained));
        } catch (OutOfMemoryError shortage) {
            // Memory ran out, so the remaining sessions are closed only when their socket is closed.
            onLoop(this::countDrained);
        }
    }

    /**
     * Closes the sessions of one socket. Returns a future that succeeds when all of them are closed, and fails if one of them cannot be
     * closed.
     */
    private static Future<?> closeSessions(EventLoop socketLoop, DefaultKcpHandler handler) {
        handler.stopAccepting();
        int[] open = {1};
        Promise<Void> drained = socketLoop.newPromise();
        Runnable closedOne = () -> {
            if (--open[0] == 0) {
                drained.trySuccess(null);
            }
        };
        handler.visits().visitAll(session -> {
            open[0]++;
            session.closeFuture().addListener(closed -> closedOne.run());
            if (!session.isClosing()) {
                new SessionCloseEvent(session).fire();
            }
        }, drained, closedOne);
        return drained;
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException ended) {
            // Skips the task, because the server channel was closed when its event loop shut down.
        }
    }

    private void countDrained() {
        if (--undrained == 0) {
            closingSockets = true;
            sockets.stream().filter(Channel::isOpen).forEach(Channel::close);
        }
    }

    private void countClosed() {
        if (--openSockets == 0) {
            then.run();
        }
    }
}
