package io.kcp.netty.reconnect;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.Loopback;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Queues the events of a {@link KcpReconnect} for the test thread. */
class EventRecorder implements KcpReconnectListener {

    record Event(String what, KcpChannel session, int attempt, Duration delay, Throwable cause) {
    }

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final List<KcpChannel> sessions = new CopyOnWriteArrayList<>();

    @Override
    public void onOpened(KcpChannel session, int attempt) {
        sessions.add(session);
        events.add(new Event("opened", session, attempt, null, null));
    }

    @Override
    public void onEstablished(KcpChannel session) {
        events.add(new Event("established", session, 0, null, null));
    }

    @Override
    public void onLost(KcpChannel session, Throwable cause) {
        events.add(new Event("lost", session, 0, null, cause));
    }

    @Override
    public void onRetry(int attempt, Duration delay, Throwable cause) {
        events.add(new Event("retry", null, attempt, delay, cause));
    }

    @Override
    public void onEnded(Throwable cause) {
        events.add(new Event("ended", null, 0, null, cause));
    }

    /** Waits for the next event and verifies its name. */
    Event next(String what) throws InterruptedException {
        Event event = events.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS);
        if (event == null || !event.what.equals(what)) {
            throw new AssertionError("expected: " + what + ", but was: " + event, event == null ? null : event.cause);
        }
        return event;
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    /** Returns all sessions that were opened. */
    List<KcpChannel> sessions() {
        return sessions;
    }
}
