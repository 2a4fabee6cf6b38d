package io.kcp.spring.client;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.reconnect.KcpReconnectListener;
import io.netty.channel.group.ChannelGroup;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Adds each session of a reconnecting client to a channel group. A replaced session stays in the group until it is closed. */
final class SessionTrackingListener implements KcpReconnectListener {

    private final ChannelGroup sessions;
    private final KcpReconnectListener listener;

    /**
     * Creates a listener.
     *
     * @param listener notified of each event after this listener
     */
    SessionTrackingListener(ChannelGroup sessions, KcpReconnectListener listener) {
        this.sessions = sessions;
        this.listener = listener;
    }

    @Override
    public void onOpened(KcpChannel session, int attempt) {
        sessions.add(session);
        listener.onOpened(session, attempt);
    }

    @Override
    public void onEstablished(KcpChannel session) {
        listener.onEstablished(session);
    }

    @Override
    public void onLost(KcpChannel session, Throwable cause) {
        listener.onLost(session, cause);
    }

    @Override
    public void onRetry(int attempt, Duration delay, Throwable cause) {
        listener.onRetry(attempt, delay, cause);
    }

    @Override
    public void onEnded(@Nullable Throwable cause) {
        listener.onEnded(cause);
    }

    /** Returns the description of the application's listener, so that log lines contain that description. */
    @Override
    public String toString() {
        return listener.toString();
    }
}
