package io.kcp.netty;

/** Hands events to Java Flight Recorder, and makes none while nobody records them. */
final class RecordedSessionEvents extends SessionEvents {

    // Asked whether they are recorded, and never committed.
    private static final SessionOpenedEvent OPENED = new SessionOpenedEvent();
    private static final SessionClosedEvent CLOSED = new SessionClosedEvent();
    private static final LateTimersEvent LATE = new LateTimersEvent();

    @Override
    void opened(DefaultKcpChannel session) {
        if (OPENED.isEnabled()) {
            new SessionOpenedEvent(session).commit();
        }
    }

    @Override
    void closed(DefaultKcpChannel session, long ageMs) {
        if (CLOSED.isEnabled()) {
            new SessionClosedEvent(session, ageMs).commit();
        }
    }

    @Override
    void late(long delayMs, int waitingSessions) {
        if (LATE.isEnabled()) {
            new LateTimersEvent(delayMs, waitingSessions).commit();
        }
    }
}
