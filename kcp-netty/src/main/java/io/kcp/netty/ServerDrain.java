package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * Closes the sessions of a server, each of which waits for its handlers ({@link KcpServerCloseEvent}) and for its linger time, then
 * the sockets. With many sessions it takes some turns of each event loop, so that those that still have something to deliver go on
 * meanwhile.
 */
final class ServerDrain {

    private final EventLoop loop;
    private final Runnable then;
    private int openSockets = 1;

    /**
     * Prepares a drain, which {@link #start} begins.
     *
     * @param loop the loop of the server channel; this belongs to it
     * @param then run on that loop when all sockets are closed, unless it shuts down before
     */
    ServerDrain(EventLoop loop, Runnable then) {
        this.loop = loop;
        this.then = then;
    }

    /** Begins with all sockets at once, each on its own loop. */
    void start(List<Channel> sockets, List<KcpHandler> handlers) {
        for (int i = 0; i < sockets.size(); i++) {
            Channel socket = sockets.get(i);
            KcpHandler handler = handlers.get(i);
            openSockets++;
            socket.closeFuture().addListener(closed -> socketClosed());
            try {
                socket.eventLoop().execute(() -> closeSessions(socket, handler));
            } catch (RejectedExecutionException ended) {
                // Then the socket is closed, or about to be.
                socket.close();
            }
        }
        countSocket();
    }

    private static void closeSessions(Channel socket, KcpHandler handler) {
        handler.stopAccepting();
        int[] open = {1};
        Runnable closedOne = () -> {
            if (--open[0] == 0) {
                socket.close();
            }
        };
        Promise<?> swept = socket.eventLoop().newPromise();
        handler.sweepSessions(session -> {
            open[0]++;
            session.closeFuture().addListener(closed -> closedOne.run());
            if (!session.isClosing()) {
                new KcpServerCloseEvent(session).fire();
            }
        }, swept, closedOne);
        // A failed sweep must not leave the socket open.
        swept.addListener(failed -> socket.close());
    }

    private void socketClosed() {
        try {
            loop.execute(this::countSocket);
        } catch (RejectedExecutionException ended) {
            // The server channel was closed when its loop shut down.
        }
    }

    private void countSocket() {
        if (--openSockets == 0) {
            then.run();
        }
    }
}
