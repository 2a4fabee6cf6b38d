package io.kcp.core;

/**
 * The question whether the peer is alive, whose answer cannot be replayed: a PUSH without payload that the peer has received
 * already, with a {@code ts} of its own. Every KCP acknowledges such a duplicate and echoes {@code ts}. TCP's keepalive works
 * the same way. The probe goes beside a WASK, which every KCP answers with WINS.
 *
 * <p>A WINS carries nothing of the WASK that it answers, so it counts as an answer only while the peer has neither
 * acknowledged a segment nor echoed a probe: once for each WASK.
 */
final class LivenessProbe {

    /** The segment before the first one: every peer has it, and no datagram with it can open a session. */
    private static final int BEFORE_FIRST_SN = -1;

    private final int timestampBase;
    private boolean outstanding;
    private int sn;
    private int ts;
    private boolean echoed;
    private boolean windowAnswerDue;

    LivenessProbe(int timestampBase) {
        this.timestampBase = timestampBase;
    }

    /**
     * Starts a question. All repetitions of one question carry the same {@code ts}, so a late answer counts too.
     *
     * @param oldestUnackedSn the first segment that the peer may not have received
     */
    void begin(int oldestUnackedSn, int timeMs) {
        if (!outstanding) {
            outstanding = true;
            int received = oldestUnackedSn - 1;
            sn = Integer.compareUnsigned(received, KcpConfig.MAX_WINDOW_SEGMENTS) <= 0 ? BEFORE_FIRST_SN : received;
            ts = timeMs + timestampBase;
        }
    }

    /** Ends the question: the peer is known to be alive. */
    void end() {
        outstanding = false;
    }

    boolean isOutstanding() {
        return outstanding;
    }

    int sn() {
        return sn;
    }

    int ts() {
        return ts;
    }

    /** Returns {@code true} if an ACK answers the outstanding question. */
    boolean isAnsweredBy(int ackedSn, int ackedTs) {
        boolean answered = outstanding && ackedSn == sn && ackedTs == ts;
        echoed |= answered;
        return answered;
    }

    /** Returns {@code true} if an ACK has ever echoed the {@code sn} and {@code ts} of a probe. */
    boolean wasEchoed() {
        return echoed;
    }

    void onWindowAsked() {
        windowAnswerDue = true;
    }

    /** Returns {@code true} if a WINS shows that the peer is alive. */
    boolean isAnsweredByWindow(boolean everAcknowledged) {
        boolean answered = windowAnswerDue && !everAcknowledged && !echoed;
        windowAnswerDue = false;
        return answered;
    }
}
