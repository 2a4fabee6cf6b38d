package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * Closes the sessions of a server, each of which waits for its handlers ({@link KcpServerCloseEvent}) and for its linger time, and
 * closes the sockets once the last session of all sockets is closed. A socket that closed earlier would leave the group that shares
 * the port: the kernel would then deliver acknowledgements of the remaining sessions to the wrong sockets. Sessions are closed in
 * several event-loop iterations, so that sessions with data in flight are served meanwhile.
 */
final class ServerDrain {

    private final EventLoop loop;
    private final List<Channel> sockets;
    private final Runnable then;
    /** Sockets whose sessions are not all closed. */
    private int undrained;
    private int openSockets;
    private boolean closingSockets;

    /**
     * Prepares a drain, which {@link #start} begins.
     *
     * @param loop    the loop of the server channel; this belongs to it
     * @param sockets the sockets of the server
     * @param then    run on that loop when all sockets are closed, unless it shuts down before
     */
    ServerDrain(EventLoop loop, List<Channel> sockets, Runnable then) {
        this.loop = loop;
        this.sockets = sockets;
        this.then = then;
    }

    /**
     * Closes the sessions of all sockets at once, each on its own loop.
     *
     * @param handlers those of the sockets, in the same order
     */
    void start(List<KcpHandler> handlers) {
        undrained = sockets.size();
        openSockets = sockets.size();
        for (int i = 0; i < sockets.size(); i++) {
            EventLoop socketLoop = sockets.get(i).eventLoop();
            if (sockets.get(i).closeFuture().isDone()) {
                // An event loop that has ended notifies no listener.
                onLoop(this::countClosed);
            } else {
                sockets.get(i).closeFuture().addListener(closed -> onLoop(this::countClosed));
            }
            KcpHandler handler = handlers.get(i);
            try {
                socketLoop.execute(() -> drain(socketLoop, handler));
            } catch (RejectedExecutionException ended) {
                // The sessions were closed with their event loop.
                onLoop(this::countDrained);
            }
        }
    }

    /** Returns {@code true} once all sessions are closed and the sockets are being closed too. */
    boolean isClosingSockets() {
        return closingSockets;
    }

    private void drain(EventLoop socketLoop, KcpHandler handler) {
        try {
            closeSessions(socketLoop, handler).addListener(drained -> onLoop(this::countDrained));
        } catch (OutOfMemoryError shortage) {
            // The sessions are closed with their socket.
            onLoop(this::countDrained);
        }
    }

    /** Returns a future that is done when the sessions of one socket are closed, or could not be closed. */
    private static Future<?> closeSessions(EventLoop socketLoop, KcpHandler handler) {
        handler.stopAccepting();
        int[] open = {1};
        Promise<Void> drained = socketLoop.newPromise();
        Runnable closedOne = () -> {
            if (--open[0] == 0) {
                drained.trySuccess(null);
            }
        };
        handler.sweepSessions(session -> {
            open[0]++;
            session.closeFuture().addListener(closed -> closedOne.run());
            if (!session.isClosing()) {
                new KcpServerCloseEvent(session).fire();
            }
        }, drained, closedOne);
        return drained;
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException ended) {
            // The server channel was closed when its loop shut down.
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
