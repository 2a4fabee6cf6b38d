package io.kcp.core.internal.send;

import io.kcp.core.KcpConfig;
import io.kcp.core.Redundancy;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.congestion.Pacer;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.loss.LossDetector;
import io.kcp.core.internal.memory.Segment;
import org.jspecify.annotations.Nullable;

/**
 * Fills the free room of outbound datagrams with copies of unacknowledged segments, as {@link Redundancy} describes.
 *
 * <p>The copies precede the last new segment of a flush, because kcp-go and this library acknowledge only the last of the segments that a
 * datagram delivers in order, and that acknowledgement must yield a round-trip sample of the new segment. A copy has the current time as
 * its {@code ts}. It is neither a transmission nor a retransmission: it does not change the counters, the backoff or the position of the
 * segment in the lists of the {@link LossDetector}.
 *
 * <p>Copies hide losses, because a copied segment is acknowledged before its loss is detected. With {@link Redundancy#ADAPTIVE}, one of
 * {@value #PROBE_INTERVAL} segments is therefore a probe, which is copied one datagram later than the other segments. If the path loses the
 * probe, the next acknowledgement skips it.
 */
public final class RedundantCopies {

    /** Maximum number of copies of a segment. */
    static final int MAX_COPIES = 2;
    /** Maximum number of segments that are examined for a datagram, which limits the cost of a flush. */
    private static final int MAX_EXAMINED = 16;
    /** Number of segments of which one is a probe. */
    private static final int PROBE_INTERVAL = 16;
    private static final double START_ABOVE_LOSS = 0.01;
    private static final double STOP_BELOW_LOSS = 0.0025;

    private final SendWindow window;
    private final LossDetector detector;
    private final @Nullable Segment[] chosen = new Segment[MAX_EXAMINED];
    private final PathLoss loss = new PathLoss();
    private boolean adaptive;
    private boolean sending;
    private boolean probing;
    private boolean probeDeferred;
    private int probeSn;
    private int segmentsUntilProbe;
    private int delayMs;
    private boolean datagramPending;
    private int datagramDueAtMs;

    RedundantCopies(SendWindow window, LossDetector detector) {
        this.window = window;
        this.detector = detector;
    }

    void reconfigure(KcpConfig config) {
        delayMs = config.redundancyDelayMs();
        datagramPending &= delayMs > 0;
        if (config.redundancy() == Redundancy.ON) {
            adaptive = false;
            probing = false;
            sending = true;
        } else if (!adaptive) {
            adaptive = true;
            sending = loss.isAbove(START_ABOVE_LOSS);
        }
    }

    // ---- the loss of the path

    /** Records that a new segment is about to be sent. */
    void onNew(Segment segment, int timeMs) {
        if (sending && delayMs > 0) {
            datagramPending = true;
            datagramDueAtMs = timeMs + delayMs;
        }
        if (!adaptive) {
            return;
        }
        if (!sending) {
            loss.onSent();
        } else if (!probing && --segmentsUntilProbe <= 0) {
            probing = true;
            probeDeferred = false;
            probeSn = segment.sn;
            segmentsUntilProbe = PROBE_INTERVAL;
            loss.onSent();
        }
    }

    /**
     * Records that segments are considered lost.
     *
     * @param detected the number of segments at the end of the list of lost segments
     */
    void onDetected(int detected) {
        if (!adaptive) {
            return;
        }
        Segment segment = window.lost().last();
        for (int i = 0; i < detected && segment != null; i++) {
            boolean probe = probing && segment.sn == probeSn;
            if (segment.transmissions == 1 && (probe || !sending)) {
                loss.onLost();
                probing &= !probe;
            }
            segment = segment.previous;
        }
        update();
    }

    /** Records that a segment that was considered lost has arrived. */
    public void onSpuriousLoss() {
        if (adaptive && !sending) {
            loss.onSpuriousLoss();
        }
    }

    /** Checks after each inbound datagram whether the probe was acknowledged or skipped. */
    void onDatagram() {
        if (!probing) {
            return;
        }
        Segment probe = window.find(probeSn);
        if (probe == null) {
            probing = false;
        } else if (probe.order < detector.highestAckedOrder()) {
            probing = false;
            if (!detector.isReordering()) {
                loss.onLost();
            }
        }
        update();
    }

    private void update() {
        sending = loss.isAbove(sending ? STOP_BELOW_LOSS : START_ABOVE_LOSS);
        probing &= sending;
    }

    // ---- copies

    /**
     * Appends copies to a datagram to which a new segment is about to be appended.
     *
     * @param next  the last new segment of the flush, for which room remains
     * @param pacer the pacer, whose spare tokens the copies consume
     */
    void append(DatagramWriter writer, Segment next, Pacer pacer, int timeMs, int ts) {
        if (sending) {
            int room = writer.roomForCopies(SegmentHeader.LENGTH + next.payloadBytes);
            write(choose(next.sn - 1, writer.firstOrder(), MAX_COPIES, room, pacer), writer, timeMs, ts);
        }
    }

    /** Returns the milliseconds until {@link #appendDelayed} must be called, or {@code NO_DEADLINE} if nothing is to be copied. */
    int msUntilDue(int timeMs) {
        return !datagramPending || window.isEmpty() ? ProtocolConstants.NO_DEADLINE : Math.max(datagramDueAtMs - timeMs, 0);
    }

    /** Appends copies of segments that have not been copied yet, once {@link KcpConfig#redundancyDelayMs()} has passed. */
    void appendDelayed(DatagramWriter writer, Pacer pacer, int timeMs, int ts) {
        if (!datagramPending || timeMs - datagramDueAtMs < 0) {
            return;
        }
        datagramPending = false;
        if (!sending) {
            return;
        }
        int latestSn = window.nextSn() - 1;
        int room = writer.roomForCopies(0);
        int count = choose(latestSn, writer.firstOrder(), 1, room, pacer);
        Segment latest = count > 0 ? null : window.find(latestSn);
        if (latest != null && SegmentHeader.LENGTH + latest.payloadBytes > room && mayBeAlone(latest, writer, pacer)) {
            chosen[count++] = latest;
        }
        write(count, writer, timeMs, ts);
    }

    /** Returns {@code true} if a segment that is too large to share a datagram with others may be copied in a datagram of its own. */
    private boolean mayBeAlone(Segment segment, DatagramWriter writer, Pacer pacer) {
        int bytes = SegmentHeader.LENGTH + segment.payloadBytes;
        if (segment.copies > 0 || segment.list == window.lost() || isDeferred(segment.sn) || !writer.mayCopy() || !pacer.affords(bytes)
            || !writer.makeRoom(segment)) {
            return false;
        }
        pacer.onSent(bytes);
        return true;
    }

    /** Chooses segments, the latest first, stores them in {@link #chosen} and returns their number. */
    private int choose(int latestSn, long firstOrder, int maxCopies, int roomBytes, Pacer pacer) {
        int left = roomBytes;
        int count = 0;
        int examined = 0;
        for (int sn = latestSn; examined < MAX_EXAMINED && left > SegmentHeader.LENGTH && sn - window.oldestUnacked() >= 0; sn--) {
            Segment segment = window.find(sn);
            if (segment != null && segment.order >= firstOrder) {
                // The datagram already contains this segment.
                continue;
            }
            examined++;
            if (segment == null || segment.copies >= maxCopies || segment.list == window.lost() || isDeferred(sn)) {
                continue;
            }
            int bytes = SegmentHeader.LENGTH + segment.payloadBytes;
            if (bytes <= left && pacer.affords(bytes)) {
                pacer.onSent(bytes);
                left -= bytes;
                chosen[count++] = segment;
            }
        }
        return count;
    }

    private void write(int chosenSegments, DatagramWriter writer, int timeMs, int ts) {
        int count = chosenSegments;
        while (count > 0) {
            Segment segment = chosen[--count];
            chosen[count] = null;
            assert segment != null;
            segment.onCopied(timeMs);
            writer.appendCopy(segment, ts);
        }
    }

    private boolean isDeferred(int sn) {
        if (!probing || probeDeferred || sn != probeSn) {
            return false;
        }
        probeDeferred = true;
        return true;
    }
}
