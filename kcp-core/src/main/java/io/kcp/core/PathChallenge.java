package io.kcp.core;

/**
 * An empty duplicate PUSH that is sent only to a new address of the peer. Every KCP implementation acknowledges the segment and echoes its
 * {@code ts}, which proves that the peer receives datagrams at the new address. Like a {@link LivenessProbe}, a challenge is sent together
 * with a WASK. A challenge and a liveness probe never have the same {@code sn}, so the acknowledgement of one is never mistaken for the
 * acknowledgement of the other.
 */
final class PathChallenge {

    /** Age in milliseconds after which the challenge gets a new {@code ts}, because peers ignore duplicates that are older than 10 s. */
    private static final int RENEW_AFTER_MS = 5_000;
    private static final int BEFORE_FIRST_SN = -2;

    private final int timestampBase;
    private boolean outstanding;
    private boolean pending;
    private boolean answered;
    private int sn;
    private int ts;
    private int answeredSn;
    private int answeredTs;

    PathChallenge(int timestampBase) {
        this.timestampBase = timestampBase;
    }

    /** Schedules the challenge for the next flush. A repetition has the same {@code ts}, so that a late response also counts. */
    void send(int oldestUnackedSn, int timeMs) {
        int newTs = timeMs + timestampBase;
        if (!outstanding || newTs - ts >= RENEW_AFTER_MS) {
            int received = oldestUnackedSn - 2;
            sn = Integer.compareUnsigned(oldestUnackedSn, KcpConfig.MAX_WINDOW_SEGMENTS + 2) <= 0 ? BEFORE_FIRST_SN : received;
            ts = newTs;
            outstanding = true;
        }
        pending = true;
    }

    /** Cancels the challenge, because the new address is no longer considered. */
    void cancel() {
        outstanding = false;
        pending = false;
    }

    /** Ends the challenge after the peer has responded to it. */
    void end() {
        cancel();
        answered = true;
        answeredSn = sn;
        answeredTs = ts;
    }

    /** Returns {@code true} if an ACK is the response to the outstanding challenge. */
    boolean isAnsweredBy(int ackedSn, int ackedTs) {
        return outstanding && ackedSn == sn && ackedTs == ts;
    }

    /** Returns {@code true} if an ACK repeats the response to the latest challenge to which the peer has responded. */
    boolean wasAnsweredBy(int ackedSn, int ackedTs) {
        return answered && ackedSn == answeredSn && ackedTs == answeredTs;
    }

    boolean isPending() {
        return pending;
    }

    void write(DatagramWriter writer) {
        if (pending) {
            pending = false;
            writer.control(SegmentHeader.CMD_WASK, sn, ts);
            writer.control(SegmentHeader.CMD_PUSH, sn, ts);
        }
    }
}
