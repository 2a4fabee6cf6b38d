package io.kcp.netty;

import io.netty.util.internal.PlatformDependent;

/**
 * What becomes of sessions, for Java Flight Recorder. This one tells nobody: it stands where the module {@code jdk.jfr} is
 * missing. Called on event loops.
 */
class SessionEvents {

    /** Timers that are not as late as that are no event. */
    static final int LATE_MS = 20;

    /** Returns those that this JVM is able to tell. */
    static SessionEvents ofThisJvm() {
        try {
            Class.forName("jdk.jfr.Event", false, PlatformDependent.getClassLoader(SessionEvents.class));
            return new RecordedSessionEvents();
        } catch (ClassNotFoundException missing) {
            return new SessionEvents();
        }
    }

    /** A session began. */
    void opened(DefaultKcpChannel session) {
    }

    /** A session ended; its figures are its last. */
    void closed(DefaultKcpChannel session, long ageMs) {
    }

    /** The timers of an event loop ran late, by {@link #LATE_MS} or more. */
    void late(long delayMs, int waitingSessions) {
    }
}
