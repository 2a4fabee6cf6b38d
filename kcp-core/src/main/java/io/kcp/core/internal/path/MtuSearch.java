package io.kcp.core.internal.path;

import io.kcp.core.MtuProbeOutput;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.datagram.MtuBlackHoleDetector;
import io.kcp.core.internal.loss.LossDetector;
import io.kcp.core.internal.send.SendWindow;

/**
 * Searches for the largest MTU that the path supports, as described in RFC 8899 (DPLPMTUD). A probe is a datagram of the size to test. It
 * consists of a WASK and PUSH segments whose {@code sn} is so old that every KCP implementation discards them as duplicates but
 * acknowledges them. The ACK of the last PUSH shows that the peer has received the whole probe. This PUSH ends with the datagram. If the
 * read buffer of the peer is smaller than the probe, the kernel truncates the datagram and the peer finds no complete last PUSH.
 *
 * <p>The {@code sn} of the last PUSH contains 29 random bits and differs for each probe, so that neither the peer nor an attacker can
 * acknowledge a probe that it has not received. The other PUSH segments have a different {@code sn}, and their ACKs prove nothing. kcp-go
 * omits the ACK of a duplicate if another PUSH arrives before its next flush. A probe therefore contains as many PUSH segments as fit,
 * because kcp-go sends acknowledgements immediately once they fill a datagram.
 *
 * <p>A probe is sent only after data, and needs no timer of its own. It is considered lost if its ACK does not arrive in time although the
 * path has delivered data that was sent later. After {@value #MAX_PROBES} lost probes, their size is considered too large. A lost probe
 * delays no data, and congestion control does not notice it.
 *
 * <p>If large datagrams are lost after an increase, {@link MtuBlackHoleDetector} reduces the MTU. The next search then begins after ten
 * minutes, and each further reduction doubles this time. After {@value #MAX_REDUCTIONS} reductions, the search ends, so that the MTU of a
 * path or a peer that only seems to accept large datagrams does not oscillate.
 */
public final class MtuSearch {

    static final int MAX_PROBES = 3;
    static final int MAX_REDUCTIONS = 3;
    /** Time in milliseconds after which a larger MTU is searched for again (PMTU_RAISE_TIMER in RFC 8899). */
    static final int SEARCH_INTERVAL_MS = 600_000;
    /** Minimum time in milliseconds after which an unacknowledged probe may be considered lost (PROBE_TIMER in RFC 8899). */
    static final int MIN_TIMEOUT_MS = 1_000;
    /** Time in milliseconds after which a probe that could not be sent is repeated. The time doubles with each failed attempt. */
    private static final int RETRY_AFTER_MS = 1_000;
    private static final int MAX_RETRY_DOUBLINGS = 9;
    /**
     * UDP payloads that common links support: packets of 1,280 to 1,500 bytes minus the headers of IPv4 or IPv6 and UDP, for Ethernet,
     * PPPoE and tunnels.
     */
    private static final int[] SIZES = {1_232, 1_252, 1_280, 1_320, 1_352, 1_372, 1_392, 1_420, 1_432, 1_444, 1_452, 1_464, 1_472, 1_492};

    private final MtuProbeOutput output;
    private final int limitBytes;
    private int mtuBytes;
    /** Smallest size that was found to be too large in the current search. */
    private int tooLargeBytes;
    private boolean outstanding;
    private boolean anySent;
    private int probeBytes;
    private int lostProbes;
    private int sn;
    private int ts;
    private int sentAtMs;
    /** Order of the next data segment at the time of the latest probe. */
    private long orderAtProbe;
    private boolean waiting;
    private int waitUntilMs;
    /** {@code true} if a new search begins after the wait. */
    private boolean searchEnded;
    private int reductions;
    private int unsentProbes;

    /**
     * Creates a search.
     *
     * @param mtuBytes   the current MTU
     * @param limitBytes the largest MTU to search for
     */
    MtuSearch(MtuProbeOutput output, int mtuBytes, int limitBytes) {
        this.output = output;
        this.mtuBytes = mtuBytes;
        this.limitBytes = limitBytes;
        tooLargeBytes = limitBytes + 1;
    }

    /** Returns the largest MTU found, including the headers of the layers below. */
    int mtuBytes() {
        return mtuBytes;
    }

    /** Stops probing for some time, because the path has lost large datagrams. */
    void onReduced(int reducedBytes, int timeMs) {
        mtuBytes = reducedBytes;
        outstanding = false;
        reductions++;
        searchEnded = true;
        waitUntil(timeMs + (SEARCH_INTERVAL_MS << Math.min(reductions, MAX_REDUCTIONS) - 1));
    }

    /** Starts again with an MTU of at most the configured one, because the path has changed. */
    void onPathChanged(int configuredBytes) {
        mtuBytes = Math.min(mtuBytes, configuredBytes);
        outstanding = false;
        waiting = false;
        startSearch();
    }

    /** Returns {@code true} if an ACK is the response to the outstanding probe, and then adopts the size of the probe as MTU. */
    boolean isAnsweredBy(int ackedSn, int ackedTs) {
        if (!outstanding || !hasSent(ackedSn, ackedTs)) {
            return false;
        }
        outstanding = false;
        lostProbes = 0;
        mtuBytes = probeBytes;
        return true;
    }

    /** Returns {@code true} if the latest probe has this {@code sn} and {@code ts}, even if the probe is not outstanding any more. */
    boolean hasSent(int ackedSn, int ackedTs) {
        return anySent && ackedSn == sn && ackedTs == ts;
    }

    /**
     * Sends a probe if one is due. Called after a flush that has sent data.
     *
     * @param nowTs the {@code ts} of segments that are sent now
     * @return the number of bytes sent, without the headers of the layers below, or 0 if no probe was sent
     */
    int probe(DatagramWriter writer, SendWindow window, LossDetector detector, int rtoMs, int timeMs, int nowTs) {
        if (outstanding && !takeLoss(detector, rtoMs, timeMs) || reductions >= MAX_REDUCTIONS || waiting && timeMs - waitUntilMs < 0) {
            return 0;
        }
        waiting = false;
        if (searchEnded) {
            startSearch();
        }
        probeBytes = nextSize();
        if (probeBytes == 0) {
            searchEnded = true;
            waitUntil(timeMs + SEARCH_INTERVAL_MS);
            return 0;
        }
        sn = PathChallenge.randomSn(window.oldestUnacked(), output.nextRandom());
        ts = nowTs;
        int bytes = probeBytes - output.overheadBytes();
        switch (output.write(writer.mtuProbe(bytes, sn, PathChallenge.paddingSn(window.oldestUnacked()), ts))) {
            case SENT -> {
                anySent = true;
                unsentProbes = 0;
                outstanding = true;
                sentAtMs = timeMs;
                orderAtProbe = detector.nextOrder();
                return bytes;
            }
            case TOO_LARGE -> onTooLarge();
            case NOT_SENT -> {
                waitUntil(timeMs + (RETRY_AFTER_MS << unsentProbes));
                unsentProbes = Math.min(unsentProbes + 1, MAX_RETRY_DOUBLINGS);
            }
        }
        return 0;
    }

    /** Returns {@code true} if the outstanding probe is considered lost, and then ends it. */
    private boolean takeLoss(LossDetector detector, int rtoMs, int timeMs) {
        boolean lost = timeMs - sentAtMs >= Math.max(MIN_TIMEOUT_MS, rtoMs << 1) && detector.highestAckedOrder() >= orderAtProbe;
        if (lost) {
            outstanding = false;
            lostProbes++;
            if (lostProbes >= MAX_PROBES) {
                onTooLarge();
            }
        }
        return lost;
    }

    private void onTooLarge() {
        tooLargeBytes = probeBytes;
        lostProbes = 0;
    }

    private void startSearch() {
        searchEnded = false;
        tooLargeBytes = limitBytes + 1;
        lostProbes = 0;
    }

    private void waitUntil(int timeMs) {
        waiting = true;
        waitUntilMs = timeMs;
    }

    /** Returns the size in the middle of the sizes that may be supported, or 0 if there is none. */
    private int nextSize() {
        int first = 0;
        while (first < SIZES.length && SIZES[first] <= mtuBytes) {
            first++;
        }
        int end = first;
        while (end < SIZES.length && SIZES[end] < Math.min(tooLargeBytes, limitBytes)) {
            end++;
        }
        boolean limitPossible = limitBytes > mtuBytes && limitBytes < tooLargeBytes;
        int count = end - first + (limitPossible ? 1 : 0);
        if (count == 0) {
            return 0;
        }
        int chosen = first + (count >> 1);
        return chosen < end ? SIZES[chosen] : limitBytes;
    }
}
