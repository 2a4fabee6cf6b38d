package io.kcp.core.internal.path;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.MtuProbeOutput;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.datagram.AmplificationLimit;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.datagram.MtuBlackHoleDetector;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.send.Sender;
import io.kcp.core.internal.session.KcpCounters;
import org.jspecify.annotations.Nullable;

/**
 * The MTU of a conversation, which is the configured MTU until a black hole is detected or a {@link MtuSearch} finds a
 * larger one.
 */
public final class PathMtu {

    private final KcpOutput output;
    private final KcpCounters counters;
    private final int timestampBase;
    private final MtuBlackHoleDetector blackHole = new MtuBlackHoleDetector();
    /** The search, or null if the settings or the output do not permit one. */
    private @Nullable MtuSearch search;
    private int mtuBytes;
    private int bytes;
    private int configuredMtuBytes;
    private int searchLimitBytes;
    private int reducedMtuBytes;
    private boolean fallback;
    private long probedAfterOrder;

    public PathMtu(KcpOutput output, KcpCounters counters, int timestampBase) {
        this.output = output;
        this.counters = counters;
        this.timestampBase = timestampBase;
    }

    public MtuBlackHoleDetector blackHole() {
        return blackHole;
    }

    /** Returns the maximum size of a datagram in bytes, excluding the headers of the layers below. */
    public int bytes() {
        return bytes;
    }

    /** Returns the maximum payload of a segment. */
    public int mssBytes() {
        return bytes - SegmentHeader.LENGTH;
    }

    /**
     * Returns the value of {@link #bytes()} for new settings.
     *
     * @throws IllegalArgumentException if the MTU leaves no room for one byte of payload
     */
    private int bytesOf(KcpConfig config) {
        if (isUnchanged(config)) {
            return bytes;
        }
        int overheadBytes = output.overheadBytes();
        if (config.mtuBytes() - overheadBytes < KcpConfig.MIN_MTU_BYTES) {
            throw new IllegalArgumentException("mtuBytes: " + config.mtuBytes() + " (expected: at least "
                + (KcpConfig.MIN_MTU_BYTES + overheadBytes) + " with " + overheadBytes + " bytes of overhead)");
        }
        return config.mtuBytes() - overheadBytes;
    }

    /**
     * Changes the settings, also those of the sending side. An MTU that was reduced or has grown stays unchanged, unless the settings of
     * the MTU change.
     *
     * @throws IllegalArgumentException if the MTU leaves no room for one byte of payload, in which case nothing changes
     */
    public void reconfigure(KcpConfig config, Sender sender) {
        int newBytes = bytesOf(config);
        sender.reconfigure(config, newBytes - SegmentHeader.LENGTH, output.fecDataShards());
        if (!isUnchanged(config)) {
            bytes = newBytes;
            mtuBytes = config.mtuBytes();
            configuredMtuBytes = mtuBytes;
            fallback = config.mtuFallback();
            searchLimitBytes = config.mtuSearchLimitBytes();
            reducedMtuBytes = MtuBlackHoleDetector.reducedMtuBytes(config);
            blackHole.reconfigure(config, output.overheadBytes());
            MtuProbeOutput probes = fallback && searchLimitBytes > mtuBytes ? output.mtuProbes() : null;
            search = probes == null ? null : new MtuSearch(probes, mtuBytes, searchLimitBytes);
        }
    }

    private boolean isUnchanged(KcpConfig config) {
        return config.mtuBytes() == configuredMtuBytes && config.mtuFallback() == fallback
            && config.mtuSearchLimitBytes() == searchLimitBytes;
    }

    /**
     * Reduces the MTU if a black hole has been detected, and otherwise adopts the MTU that the search has found. The MTU is not reduced
     * while the first message is pending, because a peer that refuses a too large first message does not acknowledge its fragments.
     */
    public void update(Sender sender, int timeMs) {
        MtuSearch current = search;
        if (blackHole.isDetected() && !sender.initialWindowMessages().isPending()) {
            blackHole.onReduced();
            if (current != null) {
                current.onReduced(reducedMtuBytes, timeMs);
            }
            if (mtuBytes > reducedMtuBytes) {
                change(reducedMtuBytes, sender);
                counters.mtuReductions++;
                output.onMtuReduced(reducedMtuBytes);
            }
        } else if (current != null && current.mtuBytes() != mtuBytes) {
            boolean increased = current.mtuBytes() > mtuBytes;
            change(current.mtuBytes(), sender);
            if (increased) {
                blackHole.onIncreased();
                counters.mtuIncreases++;
                output.onMtuIncreased(mtuBytes);
            }
        }
    }

    private void change(int newMtuBytes, Sender sender) {
        mtuBytes = newMtuBytes;
        bytes = newMtuBytes - output.overheadBytes();
        sender.changeMss(mssBytes());
    }

    // ---- the search for a larger MTU

    /** Sends a probe for a larger MTU if one is due and the current flush has sent data to a validated peer. */
    public void probe(DatagramWriter writer, Sender sender, AmplificationLimit limit, RttEstimator rtt, int timeMs) {
        MtuSearch current = search;
        long order = sender.detector().nextOrder();
        if (current == null || order == probedAfterOrder) {
            return;
        }
        probedAfterOrder = order;
        if (limit.isActive() || !rtt.isSampled()) {
            return;
        }
        int sentBytes = current.probe(writer, sender.window(), sender.detector(), rtt.rtoMs(), timeMs, timeMs + timestampBase);
        if (sentBytes > 0) {
            counters.mtuProbes++;
            counters.datagramsOut++;
            counters.segmentsOut += sentBytes / SegmentHeader.LENGTH;
            counters.wireBytesOut += sentBytes;
        }
    }

    /** Returns {@code true} if an ACK is the response to the outstanding probe. The next flush then adopts the larger MTU. */
    public boolean isProbeAnsweredBy(int sn, int ts) {
        return search != null && search.isAnsweredBy(sn, ts);
    }

    /** Returns {@code true} if an ACK is the response to the latest probe, which need not be outstanding. */
    public boolean hasProbed(int sn, int ts) {
        return search != null && search.hasSent(sn, ts);
    }

    /** Returns to an MTU of at most the configured one with the next flush, and searches again. */
    public void onPathChanged() {
        if (search != null) {
            search.onPathChanged(configuredMtuBytes);
        }
    }
}
