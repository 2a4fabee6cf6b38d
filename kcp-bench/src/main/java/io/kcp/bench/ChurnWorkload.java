package io.kcp.bench;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import tools.jackson.databind.node.ObjectNode;

/** Workload that opens sessions, closes each session after one round trip, and replaces it with a new session. */
final class ChurnWorkload implements LoadClient.Workload {

    private static final int DEFAULT_SESSIONS = 64;

    private final LoadContext load;
    private final Recorder openToResponseNs = new Recorder(3);
    private volatile boolean finished;

    ChurnWorkload(LoadContext load) {
        this.load = load;
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        int sessions = load.options.sessionsOr(DEFAULT_SESSIONS);
        for (int i = 0; i < sessions; i++) {
            open();
        }
        LoadContext.sleep(load.options.warmupSeconds);
        openToResponseNs.reset();
        LoadContext.Interval interval = load.measureDuring(() -> LoadContext.sleep(load.options.seconds));
        Histogram ns = openToResponseNs.getIntervalHistogram();
        finished = true;
        return interval.addTo(LoadMeter.addPercentiles(Json.event("result").put("work", "churn").put("sessions", ns.getTotalCount())
            .put("sessions_s", ns.getTotalCount() / interval.load().seconds()), ns, "us"));
    }

    private void open() {
        long startNs = System.nanoTime();
        TimestampedSession session = new TimestampedSession(load, load.options.messageBytes(), true);
        session.onReturn(timestampNs -> {
            openToResponseNs.recordValue(System.nanoTime() - startNs);
            session.context().channel().closeFuture().addListener(closed -> {
                if (!finished) {
                    open();
                }
            });
            session.close(session.context());
        });
        load.open(session);
    }
}
