package io.kcp.core.conversation;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.LinkState;
import io.kcp.core.internal.datagram.AmplificationLimit;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.datagram.MtuBlackHoleDetector;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.peer.LivenessProbe;
import io.kcp.core.internal.peer.PeerLiveness;
import io.kcp.core.internal.peer.WindowProbe;
import io.kcp.core.internal.receive.DrainRate;
import io.kcp.core.internal.receive.ReceiveWindow;
import io.kcp.core.internal.send.Sender;
import io.kcp.core.internal.session.DatagramReport;
import io.kcp.core.internal.session.KcpCounters;
import org.jspecify.annotations.Nullable;

/**
 * Monitors whether the peer is alive and accepts data. Measures the inactivity of the peer with {@link PeerLiveness} and its speed with
 * {@link DrainRate}, and schedules a {@link LivenessProbe} or {@link WindowProbe} when a response is overdue.
 */
final class PeerMonitor {

    private final int timestampBase;
    private final RttEstimator rtt;
    private final Sender sender;
    private final WindowProbe windowProbe;
    private final LivenessProbe livenessProbe;
    private final PeerLiveness liveness;
    private @Nullable DrainRate drainRate; // null unless a minimum rate is configured
    private final AmplificationLimit limit;
    private final MtuBlackHoleDetector blackHole;
    private final KcpCounters counters;
    private final KcpOutput output;
    private int maxRefusedSegments;
    /** The oldest segment that was not acknowledged when the previous verified datagram arrived. */
    private int oldestMissingSn;
    private @Nullable PeerPath path;

    PeerMonitor(RttEstimator rtt, Sender sender, WindowProbe windowProbe, AmplificationLimit limit, int timestampBase, KcpConfig config,
        int timeMs, KcpCounters counters, KcpOutput output) {
        this.timestampBase = timestampBase;
        this.rtt = rtt;
        this.sender = sender;
        this.windowProbe = windowProbe;
        this.limit = limit;
        blackHole = sender.transmitter().blackHole();
        this.counters = counters;
        this.output = output;
        livenessProbe = new LivenessProbe(timestampBase);
        liveness = new PeerLiveness(config, timeMs);
        maxRefusedSegments = config.maxRefusedSegments();
    }

    void reconfigure(KcpConfig config) {
        liveness.reconfigure(config);
        maxRefusedSegments = config.maxRefusedSegments();
        if (config.minDrainBytesPerSecond() == 0) {
            drainRate = null;
        } else {
            drainRate = drainRate == null ? new DrainRate() : drainRate;
            drainRate.reconfigure(config);
        }
        windowProbe.reconfigure(config);
    }

    LivenessProbe livenessProbe() {
        return livenessProbe;
    }

    /**
     * Returns {@code true} if the peer has proved that it receives datagrams at its address, as described at {@link Kcp#isPeerValidated()}.
     */
    boolean isValidated() {
        return rtt.wasEverSampled() || livenessProbe.wasEchoed() || limit.wasEchoed();
    }

    int inactiveMs(int timeMs) {
        return liveness.inactiveMs(timeMs);
    }

    void onDatagram(DatagramReport report, int timeMs) {
        if ((report.maybeLive || report.verified) && liveness.takeRestart(report.verified, rtt.rtoMs())) {
            sender.window().expediteOldest();
        }
        if (report.verified) {
            int missingSn = sender.window().firstMissing();
            liveness.onVerified(missingSn == oldestMissingSn && sender.isBlocked(), timeMs);
            oldestMissingSn = missingSn;
            livenessProbe.end();
            if (report.unaAdvanced) {
                liveness.onDataAccepted();
            }
        } else if (report.asksForResponse && liveness.shouldProbeBack(timeMs)) {
            startPing(timeMs);
        }
        if (path != null) {
            path.onDatagram(report, timeMs);
        }
    }

    void ping(int timeMs) {
        update(timeMs);
        startPing(timeMs);
        if (path != null) {
            path.onPing(timeMs);
        }
    }

    /** Returns the object that detects whether the peer has moved to another address, creating it on the first call. */
    PeerPath path(DatagramReader reader, ReceiveWindow receiveWindow) {
        PeerPath present = path;
        if (present == null) {
            present = new PeerPath(timestampBase, rtt, reader, sender, receiveWindow, livenessProbe, limit);
            path = present;
        }
        return present;
    }

    /** Writes a challenge to the new address of the peer, or the repeated acknowledgement of this side, if one of them is due. */
    void writePathSegments(DatagramWriter writer, int timeMs) {
        if (path != null) {
            path.write(writer, timeMs);
        }
    }

    private void startPing(int timeMs) {
        liveness.startPing(timeMs);
        livenessProbe.begin(sender.window().oldestUnacked(), timeMs);
        windowProbe.askNow();
    }

    /** Schedules the due probes. Called before the control segments of a flush are written. */
    void beforeFlush(int timeMs) {
        update(timeMs);
        if (liveness.takePingDue(timeMs)) {
            windowProbe.askNow();
        } else if (blackHole.takeProbeDue() && sender.awaitsPeer() || sender.isStalled() && liveness.shouldProbeStalledPeer()) {
            startPing(timeMs);
        }
        windowProbe.onFlush(sender.isStalled(), timeMs);
    }

    /** Starts measuring the response time for segments that the flush has sent. */
    void afterFlush(int timeMs) {
        update(timeMs);
        if (sender.isRefused() || sender.remoteWindow().segments() == 0) {
            blackHole.onWindowClosed();
        }
        if (sender.transmitter().isExhausted()) {
            liveness.onTransmissionsExhausted();
        }
        if (path != null) {
            path.afterFlush(timeMs);
        }
    }

    LinkState linkState(int timeMs) {
        update(timeMs);
        if (isProtocolViolated()) {
            return LinkState.PROTOCOL_ERROR;
        }
        LinkState state = liveness.state();
        if (state == LinkState.PEER_NOT_READING) {
            sender.onZeroWindowTimeout();
        }
        return state == LinkState.ALIVE && drainRate != null && drainRate.isTooSlow() ? LinkState.PEER_TOO_SLOW : state;
    }

    private boolean isProtocolViolated() {
        return maxRefusedSegments > 0 && counters.refusedSegments >= maxRefusedSegments && output.authenticatesPeer();
    }

    /** Returns the milliseconds until a probe or a timeout is due, or {@code NO_DEADLINE} if there is none. */
    int msUntilDue(int timeMs) {
        if (isProtocolViolated()) {
            return 0;
        }
        int waitMs = liveness.msUntilUpdate(timeMs, isAnswerDue(), sender.isDataRefused());
        if (drainRate != null) {
            waitMs = Math.min(waitMs, drainRate.msUntilUpdate(timeMs));
        }
        if (path != null) {
            waitMs = Math.min(waitMs, path.msUntilDue(timeMs));
        }
        if (sender.isStalled()) {
            waitMs = Math.min(waitMs, windowProbe.isTimerRunning() ? windowProbe.msUntilAsk(timeMs) : 0);
        }
        return waitMs;
    }

    private void update(int timeMs) {
        liveness.update(timeMs, isAnswerDue(), sender.isDataRefused());
        if (drainRate != null) {
            drainRate.update(timeMs, sender.unacknowledgedBytes(), sender.acknowledgedBytes(), liveness.inactiveMs(timeMs));
        }
    }

    private boolean isAnswerDue() {
        return sender.awaitsPeer() || liveness.isPinging();
    }
}
