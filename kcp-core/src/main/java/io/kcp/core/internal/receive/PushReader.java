package io.kcp.core.internal.receive;

import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.base.SerialNumber;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.peer.WindowProbe;
import io.kcp.core.internal.session.DatagramReport;
import io.kcp.core.internal.session.KcpCounters;
import io.kcp.core.internal.session.ReadHeader;
import io.netty.buffer.ByteBuf;

/** Stores the payload of PUSH segments in the {@link ReceiveWindow} and queues their acknowledgements. */
public final class PushReader {

    /**
     * Maximum age of a duplicate's {@code ts}, in milliseconds, relative to the newest {@code ts} of a verified PUSH. An older duplicate is
     * a replay, or the peer's clock was set back.
     */
    private static final int STALE_TS_MS = 10_000;
    /** An eighth of the round trip covers the delay of {@link AckThinning}. */
    private static final int ROUND_TRIP_MARGIN_SHIFT = 3;

    private final KcpCounters counters;
    private final ReceiveWindow receiveWindow;
    private final AckQueue acks;
    private final WindowProbe probe;
    private final RttEstimator rtt;
    private int newestSn;
    private boolean anyPush;
    private boolean anyStored;
    /** Newest {@code ts} of a verified PUSH. A replay cannot exceed it. */
    private int newestVerifiedTs;
    private int staleTs;
    private boolean staleTsKnown;

    public PushReader(KcpCounters counters, ReceiveWindow receiveWindow, AckQueue acks, WindowProbe probe, RttEstimator rtt) {
        this.counters = counters;
        this.receiveWindow = receiveWindow;
        this.acks = acks;
        this.probe = probe;
        this.rtt = rtt;
    }

    /** Returns {@code true} if a {@code ts} is newer than that of every PUSH so far, so that its PUSH cannot be a replay. */
    public boolean isNewer(int ts) {
        return !anyPush || SerialNumber.isAfter(ts, newestVerifiedTs);
    }

    public boolean hasQueuedAcks() {
        return !acks.isEmpty();
    }

    public boolean hasPush() {
        return anyPush;
    }

    /** Returns the highest {@code sn} received, which is valid only if {@link #hasPush} returns {@code true}. */
    public int newestSn() {
        return newestSn;
    }

    /**
     * Reads one PUSH.
     *
     * @param header       the header of the PUSH
     * @param datagram     the datagram, borrowed; {@link ReceiveWindow#offer} may retain it
     * @param payloadIndex index of the payload in the datagram
     * @param len          payload bytes
     * @param recovered    {@code true} if FEC recovered the datagram
     * @param current      {@code true} if the segment is not older than the newest one received
     */
    public void read(ReadHeader header, ByteBuf datagram, int payloadIndex, int len, boolean recovered, boolean current,
        DatagramReport report) {
        int sn = header.sn();
        int ts = header.ts();
        int frg = header.frg();
        ReceiveWindow.Verdict verdict = receiveWindow.offer(sn, frg, datagram, payloadIndex, len);
        switch (verdict) {
            case STORED -> {
                acks.thinning().onQueued(anyPush && sn == newestSn + 1);
                // The ts of the segment with the highest sn counts as the newest even if it is lower than an earlier ts, because the peer's
                // clock may have been set back.
                if (!anyPush || SerialNumber.isAfter(sn, newestSn)) {
                    anyPush = true;
                    newestSn = sn;
                    newestVerifiedTs = ts;
                    report.onNewestPush(sn, ts, true);
                }
                anyStored = true;
                report.verified = true;
                if (recovered) {
                    acks.onRecovered(sn, ts);
                }
                acknowledge(sn, ts, report);
            }
            case DUPLICATE -> {
                counters.repeatedSegments += recovered ? 0 : 1;
                if (!recovered) {
                    acks.onDuplicate(sn, ts);
                    // A liveness probe is a duplicate without data. The other probes have numbers that were never beyond a gap.
                    if (len > 0) {
                        acks.history().onDuplicate(sn, ts);
                    }
                }
                if (current) {
                    readDuplicate(sn, ts, report);
                }
            }
            case OUT_OF_WINDOW -> {
                counters.repeatedSegments += recovered ? 0 : 1;
                report.maybeLive = true;
                report.asksForResponse = true;
            }
            case REFUSED -> {
                counters.refusedSegments++;
                if (frg >= receiveWindow.windowSegments()) {
                    // The message can never fit, because it has more fragments than the receive window has room for. Sends a WINS, so that
                    // the sender learns the size of the window.
                    probe.answerNow();
                }
            }
        }
    }

    /**
     * Acknowledges a duplicate segment unless it is a replay. The {@code ts} of retransmissions increases, so a duplicate with a newer
     * {@code ts} than every earlier PUSH is verified. If the peer's clock was set back, its retransmissions look stale. They are
     * acknowledged as soon as one is newer than the previous stale one, because otherwise the peer would never receive an acknowledgement.
     *
     * <p>Until a segment has been stored, stale probes are acknowledged, too. A server may have evicted the session that sent newer probes,
     * and sends a probe before it opens another session.
     */
    private void readDuplicate(int sn, int ts, DatagramReport report) {
        if (!anyPush) {
            anyPush = true;
            newestSn = sn;
            newestVerifiedTs = ts;
            report.verified = true;
            report.onNewestPush(sn, ts, false);
        } else if (SerialNumber.isAfter(ts, newestVerifiedTs)) {
            newestVerifiedTs = ts;
            report.verified = true;
            report.onNewestPush(sn, ts, false);
        } else if (SerialNumber.diff(newestVerifiedTs, ts) > STALE_TS_MS) {
            boolean advanced = staleTsKnown && SerialNumber.isAfter(ts, staleTs);
            staleTsKnown = true;
            staleTs = ts;
            if (anyStored && !advanced) {
                return;
            }
        }
        acks.thinning().onQueued(false);
        acknowledge(sn, ts, report);
    }

    private void acknowledge(int sn, int ts, DatagramReport report) {
        report.maybeLive = true;
        acks.history().onArrival(newestVerifiedTs, roundTripMs());
        acks.add(sn, ts, receiveWindow.nextExpected(), Math.max(receiveWindow.windowSegments(), ProtocolConstants.INITIAL_WINDOW_SEGMENTS));
    }

    /**
     * Returns the time within which the ACK of a segment should have reached the peer, in milliseconds since the peer sent the segment. It
     * is 1.125 smoothed round-trip times, or the retransmission timeout if there is no sample yet. If the peer sends the segment again
     * after this time, the ACK was probably lost.
     */
    private int roundTripMs() {
        int smoothedRttMs = rtt.smoothedRttMs();
        return rtt.isSampled() ? smoothedRttMs + (smoothedRttMs >> ROUND_TRIP_MARGIN_SHIFT) : rtt.rtoMs();
    }
}
