package io.kcp.core.internal.peer;

import io.kcp.core.KcpConfig;

/**
 * A liveness probe whose response cannot be replayed: an empty PUSH with a new {@code ts} and an {@code sn} that the peer has already
 * received. Every KCP implementation acknowledges such a duplicate and echoes {@code ts}. TCP's keepalive works the same way. The probe is
 * sent together with a WASK, to which every KCP implementation responds with a WINS.
 *
 * <p>A WINS may be a replay, because it does not echo anything from the WASK. It is accepted as a response, once for each WASK, only as
 * long as the peer has neither acknowledged a segment nor echoed a probe.
 */
public final class LivenessProbe {

    /**
     * Segment number directly before the initial segment number of a conversation. Every peer treats this segment as a duplicate, and it
     * never opens a session.
     */
    private static final int BEFORE_FIRST_SN = -1;

    private final int timestampBase;
    private boolean outstanding;
    private boolean begun;
    private boolean begunBefore;
    private int previousSn;
    private int previousTs;
    private int sn;
    private int ts;
    private boolean echoed;
    private boolean windowAnswerDue;

    public LivenessProbe(int timestampBase) {
        this.timestampBase = timestampBase;
    }

    /**
     * Starts a probe. All repetitions of a probe have the same {@code ts}, so a late response counts too.
     *
     * @param oldestUnackedSn the first segment that the peer may not have received
     */
    public void begin(int oldestUnackedSn, int timeMs) {
        if (!outstanding) {
            outstanding = true;
            begunBefore = begun;
            previousSn = sn;
            previousTs = ts;
            begun = true;
            sn = duplicateSn(oldestUnackedSn);
            ts = timeMs + timestampBase;
        }
    }

    /**
     * Returns the number of an empty segment that the peer acknowledges as a duplicate.
     *
     * @param oldestUnackedSn the first segment that the peer may not have received
     */
    public static int duplicateSn(int oldestUnackedSn) {
        int received = oldestUnackedSn - 1;
        return Integer.compareUnsigned(received, KcpConfig.MAX_WINDOW_SEGMENTS) <= 0 ? BEFORE_FIRST_SN : received;
    }

    /** Ends the probe once the peer is known to be alive. */
    public void end() {
        outstanding = false;
    }

    public boolean isOutstanding() {
        return outstanding;
    }

    public int sn() {
        return sn;
    }

    public int ts() {
        return ts;
    }

    /** Returns {@code true} if an ACK is the response to the outstanding probe. */
    public boolean isAnsweredBy(int ackedSn, int ackedTs) {
        boolean matches = begun && ackedSn == sn && ackedTs == ts;
        // An echo shows that the peer receives datagrams at its address, even if other datagrams have ended the probe in the meantime.
        echoed |= matches;
        return matches && outstanding;
    }

    /** Returns {@code true} if one of the two latest probes has this {@code sn} and {@code ts}, even if it has ended. */
    public boolean hasSent(int ackedSn, int ackedTs) {
        return begun && ackedSn == sn && ackedTs == ts || begunBefore && ackedSn == previousSn && ackedTs == previousTs;
    }

    /** Returns {@code true} if the peer has ever echoed the {@code sn} and {@code ts} of a probe. */
    public boolean wasEchoed() {
        return echoed;
    }

    public void onWindowAsked() {
        windowAnswerDue = true;
    }

    /** Returns {@code true} if a received WINS is accepted as the response to a WASK. */
    public boolean isAnsweredByWindow(boolean everAcknowledged) {
        boolean answered = windowAnswerDue && !everAcknowledged && !echoed;
        windowAnswerDue = false;
        return answered;
    }
}
