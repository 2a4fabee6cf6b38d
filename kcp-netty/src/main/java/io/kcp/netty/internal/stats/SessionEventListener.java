package io.kcp.netty.internal.stats;

import io.netty.util.internal.PlatformDependent;
import java.net.SocketAddress;
import java.util.function.Function;

/**
 * Receives session and timer events on event loops. This base class ignores all events, and is used if the module {@code jdk.jfr} is
 * missing.
 *
 * @param <S> the type of a session
 */
public class SessionEventListener<S> {

    /** Minimum delay of a timer, in milliseconds, that is recorded as an event. */
    public static final int LATE_MS = 20;

    SessionEventListener() {
    }

    /**
     * Returns an object that records events with Java Flight Recorder, or ignores the events if this JVM lacks Java Flight Recorder.
     *
     * @param details returns the recorded values of a session; called only if recording of the event is enabled
     * @param <S>     the type of a session
     * @return the recorder
     */
    public static <S> SessionEventListener<S> ofThisJvm(Function<S, SessionDetails> details) {
        try {
            Class.forName("jdk.jfr.Event", false, PlatformDependent.getClassLoader(SessionEventListener.class));
            return new RecordedSessionEvents<>(details);
        } catch (ClassNotFoundException missing) {
            return new SessionEventListener<>();
        }
    }

    /** Records that a session was opened. */
    public void opened(S session) {
    }

    /** Records that a session has followed its peer to a new address. */
    public void moved(S session, SocketAddress previous) {
    }

    /** Records that a session was closed, with its final statistics. */
    public void closed(S session, long ageMs) {
    }

    /** Records that the timers of an event loop ran late, by {@link #LATE_MS} or more. */
    public void late(long delayMs, int waitingSessions) {
    }
}
