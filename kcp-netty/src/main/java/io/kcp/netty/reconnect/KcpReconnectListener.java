package io.kcp.netty.reconnect;

import io.kcp.netty.KcpChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Listens to the session and retry events of a {@link KcpReconnect}. All methods are called sequentially on the event loop of the
 * {@link KcpReconnect}, except that {@link #onEnded} is called on another thread if that loop was shut down.
 */
public interface KcpReconnectListener {

    /** Ignores all events. */
    KcpReconnectListener NONE = new KcpReconnectListener() {
    };

    /**
     * Called when a session was opened and its handlers were added. It is not known yet whether the peer is reachable.
     *
     * @param session the session
     * @param attempt the number of the attempt, counted from 1 since the last established session
     */
    default void onOpened(KcpChannel session, int attempt) {
    }

    /**
     * Called when the peer of a session has responded for the first time. A message that asks the client to leave is a response, too.
     *
     * @param session the session
     */
    default void onEstablished(KcpChannel session) {
    }

    /**
     * Called when an established session is lost or is replaced by {@link KcpReconnect#renew}. A session that the application closes with
     * {@link KcpChannel#close()} is not lost.
     *
     * @param session the session
     * @param cause   the cause of the loss
     */
    default void onLost(KcpChannel session, Throwable cause) {
    }

    /**
     * Called when another attempt is scheduled.
     *
     * @param attempt the number of the attempt, from 1
     * @param delay   the time until the attempt
     * @param cause   the cause of the failed attempt or of the lost session
     */
    default void onRetry(int attempt, Duration delay, Throwable cause) {
    }

    /**
     * Called when no attempt is in progress and no further attempt will be made.
     *
     * @param cause the cause; null if the application closed the session or the {@link KcpReconnect}
     */
    default void onEnded(@Nullable Throwable cause) {
    }
}
