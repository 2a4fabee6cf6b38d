package io.kcp.core.internal.send;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.MessageTooLargeException;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.congestion.CongestionControl;
import io.kcp.core.internal.datagram.AmplificationLimit;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.loss.LossDetector;
import io.kcp.core.internal.loss.RecoveredSegments;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.loss.TimeoutSuspension;
import io.kcp.core.internal.memory.SegmentPool;
import io.kcp.core.internal.memory.SessionMemory;
import io.kcp.core.internal.session.DatagramReport;
import io.kcp.core.internal.session.KcpCounters;
import io.kcp.core.internal.session.SessionClock;
import io.netty.buffer.ByteBuf;

/** The sending side of a conversation: stores messages until the peer has acknowledged them, and decides when to send them. */
public final class Sender {

    /** Number of transmissions without an acknowledgement after which a peer with a closed window is considered to refuse a segment. */
    private static final int REFUSED_TRANSMISSIONS = 3;
    /** Number of transmissions after which the loss of all of them is unlikely, even if the path loses a third of all datagrams. */
    private static final int BLOCKED_TRANSMISSIONS = 5;

    private final KcpCounters counters;
    private final SessionClock clock;
    private final LossDetector detector;
    private final SendQueue queue;
    private final SendWindow window;
    private final AmplificationLimit limit;
    private final RemoteWindow remoteWindow;
    private final SessionMemory memory;
    private InitialWindowMessages firstMessage = InitialWindowMessages.NONE;
    private final Transmitter transmitter;
    // Settings, see KcpConfig.
    private boolean stream;
    private boolean writeDelay;
    private int sendWindow;
    private boolean windowGrows;
    private int maxMessageBytes;
    private int intervalMs;
    private int mssBytes;

    private int writeDueAtMs;

    public Sender(SegmentPool pool, RttEstimator rtt, KcpCounters counters, DatagramWriter writer, AmplificationLimit limit,
        SessionClock clock, int timestampBase, int firstSn, SessionMemory memory) {
        this.memory = memory;
        this.clock = clock;
        this.counters = counters;
        this.limit = limit;
        detector = new LossDetector(rtt);
        queue = new SendQueue(pool);
        window = new SendWindow(pool, detector, firstSn);
        remoteWindow = new RemoteWindow(firstSn);
        transmitter = new Transmitter(timestampBase, counters, queue, window, detector, remoteWindow, writer, rtt, clock);
    }

    /**
     * Changes the settings. If the MTU becomes smaller, queued segments of a stream are split again.
     *
     * @param newMssBytes   maximum payload of a segment
     * @param fecDataShards number of datagrams that the layers below protect together with FEC parity, or 0 if they send none
     */
    public void reconfigure(KcpConfig config, int newMssBytes, int fecDataShards) {
        if (newMssBytes < mssBytes && config.mode() == KcpTransferMode.STREAM) {
            // Splits queued segments before changing any setting, because splitting is the only step that allocates memory and may
            // therefore fail.
            queue.resegmentStream(newMssBytes);
        }
        stream = config.mode() == KcpTransferMode.STREAM;
        writeDelay = config.writeDelay();
        sendWindow = config.sendWindow();
        windowGrows = config.windowBudgetBytes() != 0;
        maxMessageBytes = config.maxMessageBytes();
        intervalMs = config.intervalMs();
        mssBytes = newMssBytes;
        detector.reconfigure(config);
        transmitter.reconfigure(config, fecDataShards);
    }

    /** Changes the maximum payload of a segment. Queued segments of a stream are split again if they exceed it. */
    public void changeMss(int newMssBytes) {
        if (stream && newMssBytes < mssBytes) {
            queue.resegmentStream(newMssBytes);
        }
        mssBytes = newMssBytes;
    }

    public SendWindow window() {
        return window;
    }

    public LossDetector detector() {
        return detector;
    }

    public RemoteWindow remoteWindow() {
        return remoteWindow;
    }

    public InitialWindowMessages initialWindowMessages() {
        return firstMessage;
    }

    public Transmitter transmitter() {
        return transmitter;
    }

    /**
     * Queues a message for sending or, in stream mode, the bytes of a buffer. Takes the buffer, even if this method throws an exception.
     */
    public void send(ByteBuf message, int timeMs) {
        int bytes = message.readableBytes();
        if (queue.isEmpty()) {
            writeDueAtMs = timeMs + intervalMs;
        }
        if (stream) {
            queue.addStream(message, mssBytes);
        } else {
            if (bytes > largestMessageBytes()) {
                message.release();
                throw tooLarge(bytes);
            }
            int firstSn = window.nextSn() + queue.size();
            queue.addMessage(message, mssBytes);
            if (!remoteWindow.isKnown()) {
                firstMessage = firstMessage.onQueued(window.nextSn() + queue.size() - firstSn, bytes, firstSn);
            }
        }
        counters.bytesSent += bytes;
    }

    /** Returns the maximum size of a message that {@link #send} accepts now, as described at {@code Kcp.maxMessageBytes()}. */
    public int largestMessageBytes() {
        if (stream) {
            return Integer.MAX_VALUE;
        }
        int segments = remoteWindow.isKnown() ? remoteWindow.largest() : KcpConfig.MAX_FRAGMENTS;
        return Math.min(maxMessageBytes, Math.min(KcpConfig.MAX_FRAGMENTS, segments) * mssBytes);
    }

    public MessageTooLargeException tooLarge(int messageBytes) {
        int limitBytes = largestMessageBytes();
        return new MessageTooLargeException(messageBytes, limitBytes,
            limitBytes == maxMessageBytes ? "maxMessageBytes" : remoteWindow.limitName());
    }

    /** Updates the sending side after the acknowledgements of a datagram have been processed. */
    public void onDatagram(DatagramReport report, int timeMs) {
        if (report.acknowledged > 0) {
            detector.onProgress(report.acknowledged, timeMs);
        }
        if (firstMessage.isPending()) {
            firstMessage.onAnswer(remoteWindow, window, mssBytes);
        }
        transmitter.feedback().onDatagram(report, timeMs, mssBytes);
        RedundantCopies copies = transmitter.copies();
        if (copies != null) {
            copies.onDatagram();
        }
    }

    /** Sets whether no segment times out, for at most {@link TimeoutSuspension#MAX_MS}. */
    public void suspendTimeouts(boolean suspended, int timeMs) {
        detector.suspendTimeouts(suspended, timeMs);
    }

    /** Discards the estimates of the path, retransmits the oldest segments in flight, and returns the time. */
    public int onPathChanged(int nowMs) {
        int timeMs = clock.advance(nowMs);
        detector.onPathChanged();
        transmitter.feedback().onPathChanged();
        window.expediteAfterMove(timeMs);
        return timeMs;
    }

    /** Fails a pending {@link InitialWindowMessages} that the peer has refused for the duration of the zero-window timeout. */
    public void onZeroWindowTimeout() {
        firstMessage.onTimeout(remoteWindow, mssBytes);
    }

    /**
     * Sends as many segments as the windows allow.
     *
     * @return {@code true} if only {@code maxSegments} prevented more segments from being sent
     */
    public boolean transmit(int timeMs, int maxSegments) {
        return transmitter.transmit(timeMs, clock.timeUs(), mssBytes, maxSegments);
    }

    /**
     * Returns the milliseconds until a segment may be sent or may be considered lost, or {@code NO_DEADLINE} if there is no such
     * segment.
     */
    public int msUntilDue(int timeMs) {
        int transmissionMs = transmitter.msUntilTransmission(timeMs, clock.timeUs(), writeDelay && canSend(), writeDueAtMs);
        int dueMs = Math.min(transmissionMs, detector.msUntilNextLoss(timeMs, !transmitter.canAdmit()));
        RedundantCopies copies = transmitter.copies();
        return copies == null ? dueMs : Math.min(dueMs, copies.msUntilDue(timeMs));
    }

    public boolean canSend() {
        return windowGrows ? growingWindowBytes() > 0 : waitingSegments() < sendWindow;
    }

    public int sendableBytes() {
        return windowGrows ? (int) Math.max(0, Math.min(growingWindowBytes(), Integer.MAX_VALUE)) : startWindowBytes();
    }

    private int startWindowBytes() {
        int segments = sendWindow - waitingSegments();
        return segments <= 0 ? 0 : segments * mssBytes + queue.roomInLast(mssBytes);
    }

    /**
     * Returns how many bytes the application may queue, which may be negative. The queue has room for as much as congestion control permits
     * in flight, which is enough for one round trip.
     */
    private long growingWindowBytes() {
        int startBytes = startWindowBytes();
        if (startBytes > 0 && memory.maySendAtStart()) {
            return startBytes;
        }
        CongestionControl congestion = transmitter.feedback().congestion();
        long inFlightBytes = Math.min(congestion.maxBytesInFlight(), (long) congestion.maxSegmentsInFlight() * mssBytes);
        return Math.min(inFlightBytes - queue.bytes() - (long) queue.size() * SegmentHeader.LENGTH, memory.roomForSending());
    }

    public int waitingSegments() {
        return queue.size() + window.span();
    }

    public long unacknowledgedBytes() {
        return queue.bytes() + window.unacknowledgedBytes();
    }

    public long acknowledgedBytes() {
        return counters.bytesSent - unacknowledgedBytes();
    }

    public boolean isIdle() {
        return queue.isEmpty() && window.isEmpty();
    }

    /** Returns {@code true} if queued data cannot be sent because the peer's window is closed, or if the peer refuses a fragment. */
    public boolean isRefused() {
        return remoteWindow.segments() == 0 && !queue.isEmpty() || firstMessage.isStuck(remoteWindow, window);
    }

    /** Returns {@code true} if {@link #isRefused}, or if the peer has closed its window and does not store what is in flight. */
    public boolean isDataRefused() {
        return isRefused() || remoteWindow.segments() == 0 && window.oldestTransmissions() >= REFUSED_TRANSMISSIONS;
    }

    /** Returns {@code true} if the oldest segment was sent many times although the peer has room for it. */
    public boolean isBlocked() {
        return remoteWindow.segments() > 0 && window.oldestTransmissions() >= BLOCKED_TRANSMISSIONS && !isRefused();
    }

    /**
     * Returns {@code true} if nothing can be sent before a segment from the peer arrives. This is the case if the peer refuses data, or if
     * ACKs have acknowledged every segment in the window but {@code una} has not advanced. The segment from the peer may be lost, so a
     * probe must ask for it.
     */
    public boolean isStalled() {
        return isRefused() || !window.isEmpty() && detector.inFlight() == 0 && window.lost().isEmpty();
    }

    /** Returns {@code true} if data is unacknowledged, the peer refuses data, or data is deferred until the peer is validated. */
    public boolean awaitsPeer() {
        return !window.isEmpty() || isRefused() || limit.isActive() && !queue.isEmpty();
    }

    /**
     * Returns how many segments the sending side has examined so far. Tests use the number to check that the cost does not grow with the
     * window.
     */
    public long segmentsVisited() {
        return window.segmentsVisited() + detector.segmentsVisited();
    }

    /** Returns the memory in bytes of arrays that a burst has enlarged. */
    public int arrayBytes() {
        RecoveredSegments recovered = transmitter.feedback().recovered();
        return window.arrayBytes() + (recovered == null ? 0 : recovered.arrayBytes());
    }

    /** Frees arrays that a burst has enlarged, including the table of recovered segments. To be called while the conversation is idle. */
    public void trimIdle() {
        RecoveredSegments recovered = transmitter.feedback().recovered();
        if (recovered != null) {
            recovered.decideIfLarge();
        }
        trim();
    }

    /** Frees empty arrays that a burst has enlarged. */
    public void trim() {
        window.trim();
        RecoveredSegments recovered = transmitter.feedback().recovered();
        if (recovered != null) {
            recovered.trim();
        }
    }

    /** Releases all segments. The byte counts remain, because they are the amount of undelivered data. */
    public void release() {
        queue.release();
        window.release();
    }
}
