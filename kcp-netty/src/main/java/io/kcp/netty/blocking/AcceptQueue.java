package io.kcp.netty.blocking;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Holds the sessions that peers have opened and that no thread has accepted yet. Closed sessions are removed, so that the server's limits
 * on open sessions also limit the length of this queue.
 */
final class AcceptQueue extends EventLoopWaiter {

    private final Set<KcpSocket> sockets = new LinkedHashSet<>();

    /** Adds a new session. Called on its event loop. */
    void add(KcpSocket socket) {
        lock.lock();
        try {
            if (isClosed()) {
                return;
            }
            sockets.add(socket);
            signal();
        } finally {
            lock.unlock();
        }
        socket.channel().closeFuture().addListener(closed -> remove(socket));
    }

    private void remove(KcpSocket socket) {
        lock.lock();
        try {
            sockets.remove(socket);
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns the session that was opened first. Waits if there is none. */
    KcpSocket accept(long limitMs) throws IOException, InterruptedException {
        lock.lock();
        try {
            if (isClosed()) {
                throw new ClosedChannelException();
            }
            awaitReady(limitMs);
            Throwable cause = failure();
            if (cause != null) {
                throw KcpSocketException.of("Cannot accept", cause);
            }
            KcpSocket first = sockets.iterator().next();
            sockets.remove(first);
            return first;
        } finally {
            lock.unlock();
        }
    }

    @Override
    boolean isReady() {
        return !sockets.isEmpty() || failure() != null;
    }

    @Override
    String timeoutMessage(long waitedMs) {
        return "No session was opened within " + waitedMs + " ms";
    }

    @Override
    void onClosed() {
        sockets.clear();
    }
}
