package io.kcp.netty.internal.stats;

import java.net.SocketAddress;
import java.util.function.Function;

/**
 * Commits session and timer events to Java Flight Recorder. While recording is disabled, nothing is allocated.
 *
 * @param <S> the type of a session
 */
final class RecordedSessionEvents<S> extends SessionEventListener<S> {

    // These event instances are used only to check whether recording is enabled.
    private static final SessionOpenedEvent OPENED = new SessionOpenedEvent();
    private static final SessionMovedEvent MOVED = new SessionMovedEvent();
    private static final SessionClosedEvent CLOSED = new SessionClosedEvent();
    private static final LateTimersEvent LATE = new LateTimersEvent();

    private final Function<S, SessionDetails> details;

    RecordedSessionEvents(Function<S, SessionDetails> details) {
        this.details = details;
    }

    @Override
    public void opened(S session) {
        if (OPENED.isEnabled()) {
            new SessionOpenedEvent(details.apply(session)).commit();
        }
    }

    @Override
    public void moved(S session, SocketAddress previous) {
        if (MOVED.isEnabled()) {
            new SessionMovedEvent(details.apply(session), previous).commit();
        }
    }

    @Override
    public void closed(S session, long ageMs) {
        if (CLOSED.isEnabled()) {
            new SessionClosedEvent(details.apply(session), ageMs).commit();
        }
    }

    @Override
    public void late(long delayMs, int waitingSessions) {
        if (LATE.isEnabled()) {
            new LateTimersEvent(delayMs, waitingSessions).commit();
        }
    }
}
