package io.kcp.core.internal.path;

import io.kcp.core.KcpConfig;
import io.kcp.core.PathProof;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.SerialNumber;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.peer.LivenessProbe;

/**
 * An empty duplicate PUSH that is sent only to a new address of the peer. Every KCP implementation acknowledges the segment and echoes its
 * {@code sn} and {@code ts}, which proves that the peer receives datagrams at the new address. Like a {@link LivenessProbe}, a challenge is
 * sent together with a WASK.
 *
 * <p>The {@code sn} is random, because a hostile peer knows the clock of this side and could otherwise answer a challenge that was sent to
 * the address of a victim. The {@code ts} is not random, because peers ignore duplicates with an old {@code ts}.
 */
public final class PathChallenge {

    /** Age in milliseconds after which the challenge gets a new {@code ts}, because peers ignore duplicates that are older than 10 s. */
    private static final int RENEW_AFTER_MS = 5_000;
    /**
     * Minimum distance from the oldest unacknowledged segment back to the {@code sn} of a challenge. ACKs of real segments are never that
     * old. Every other ACK beyond this distance is therefore a wrong response to the challenge.
     */
    static final int MIN_DISTANCE = 1 << 20;
    /**
     * Selects 29 bits of the random number. The {@code sn} is thus less than 2<sup>31</sup> behind the window of the peer, which therefore
     * takes the segment for a duplicate.
     */
    private static final int RANDOM_MASK = (1 << 29) - 1;

    private final int timestampBase;
    private boolean outstanding;
    private boolean pending;
    private boolean answered;
    /** Highest {@code sn} that the outstanding challenge may have. */
    private int maxSn;
    private int sn;
    private int ts;
    private int previousSn;
    private int previousTs;
    private int answeredSn;
    private int answeredTs;

    public PathChallenge(int timestampBase) {
        this.timestampBase = timestampBase;
    }

    /**
     * Schedules the challenge for the next flush. A repetition has the same {@code sn} and {@code ts}, so that a late response also counts.
     */
    public void send(int oldestUnackedSn, int timeMs, int random) {
        int newTs = timeMs + timestampBase;
        if (!outstanding || newTs - ts >= RENEW_AFTER_MS) {
            previousSn = sn;
            previousTs = ts;
            maxSn = oldestUnackedSn - MIN_DISTANCE;
            sn = randomSn(oldestUnackedSn, random);
            ts = newTs;
            outstanding = true;
        }
        pending = true;
    }

    /**
     * Returns a segment number with 29 random bits that every peer takes for a duplicate.
     *
     * @param oldestUnackedSn the first segment that the peer may not have received
     */
    static int randomSn(int oldestUnackedSn, int random) {
        return outsideFirstWindow(oldestUnackedSn - MIN_DISTANCE - (random & RANDOM_MASK));
    }

    /**
     * Returns the number of segments that fill a probe. Every peer takes them for duplicates, and their ACKs are not mistaken for responses
     * to a challenge.
     *
     * @param oldestUnackedSn the first segment that the peer may not have received
     */
    static int paddingSn(int oldestUnackedSn) {
        return outsideFirstWindow(oldestUnackedSn - (MIN_DISTANCE >> 1));
    }

    /** Returns a number that lies outside the initial window, because a segment in that window might open a session. */
    private static int outsideFirstWindow(int number) {
        return Integer.compareUnsigned(number, KcpConfig.MAX_WINDOW_SEGMENTS) <= 0 ? number - KcpConfig.MAX_WINDOW_SEGMENTS - 1 : number;
    }

    /** Cancels the challenge, because the new address is no longer considered. */
    public void cancel() {
        outstanding = false;
        pending = false;
    }

    /** Ends the challenge after the peer has responded to it. */
    public void end() {
        cancel();
        answered = true;
        answeredSn = sn;
        answeredTs = ts;
    }

    /**
     * Checks an ACK from the challenged address. An ACK is a wrong answer if it acknowledges no segment that this side may have sent. A
     * late response to the previous challenge is ignored.
     */
    public PathProof examine(int ackedSn, int ackedTs) {
        if (!outstanding) {
            return PathProof.NONE;
        }
        if (ackedSn == sn && ackedTs == ts) {
            return PathProof.PROOF;
        }
        boolean late = ackedSn == previousSn && ackedTs == previousTs;
        return late || SerialNumber.isAfter(ackedSn, maxSn) ? PathProof.NONE : PathProof.WRONG_ECHO;
    }

    /** Returns {@code true} if an ACK repeats the response to the latest challenge to which the peer has responded. */
    public boolean wasAnsweredBy(int ackedSn, int ackedTs) {
        return answered && ackedSn == answeredSn && ackedTs == answeredTs;
    }

    public boolean isPending() {
        return pending;
    }

    public void write(DatagramWriter writer) {
        if (pending) {
            pending = false;
            writer.control(SegmentHeader.CMD_WASK, sn, ts);
            writer.control(SegmentHeader.CMD_PUSH, sn, ts);
        }
    }
}
