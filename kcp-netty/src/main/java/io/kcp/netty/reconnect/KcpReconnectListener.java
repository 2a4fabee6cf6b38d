package io.kcp.netty.reconnect;

import io.kcp.netty.KcpChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is told how a session that comes back fares. All methods are called on the event loop of the {@link KcpReconnect}, one after
 * the other; only {@link #onEnded} comes on another thread if that loop was shut down.
 */
public interface KcpReconnectListener {

    /** Listens to nothing. */
    KcpReconnectListener NONE = new KcpReconnectListener() {
    };

    /**
     * A session was opened, and its handlers are in place; whether the peer is there is not known yet.
     *
     * @param session the session
     * @param attempt 1 for the first attempt since the last session that was established
     */
    default void onOpened(KcpChannel session, int attempt) {
    }

    /**
     * The peer has answered on this session, if only to send this side away.
     *
     * @param session the session
     */
    default void onEstablished(KcpChannel session) {
    }

    /**
     * A session that was established has ended, and not by the will of this side, or was left by {@link KcpReconnect#renew}.
     *
     * @param session the session
     * @param cause   why
     */
    default void onLost(KcpChannel session, Throwable cause) {
    }

    /**
     * Another attempt will be made.
     *
     * @param attempt its number, from 1
     * @param delay   how long from now
     * @param cause   why the last one failed, or the session was lost
     */
    default void onRetry(int attempt, Duration delay, Throwable cause) {
    }

    /**
     * No more attempts are made, and none is under way.
     *
     * @param cause why; null if it was this side's will: the session or the {@link KcpReconnect} was closed
     */
    default void onEnded(@Nullable Throwable cause) {
    }
}
