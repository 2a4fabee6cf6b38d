package io.kcp.core;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One side of a KCP conversation: takes what the application writes, makes datagrams of it, repeats what is lost, and
 * hands out what the peer wrote, in order and exactly once.
 *
 * <p>It does nothing by itself. Its owner
 * <ul>
 * <li>gives it datagrams as they come ({@link #input}) and what is to be sent ({@link #send});</li>
 * <li>reads with {@link #receive};</li>
 * <li>calls {@link #flush} when {@link #nextDeadline} says 0: after a batch of input, after {@code send}, and when the
 * time that it named is over. An idle conversation names none;</li>
 * <li>looks at {@link #linkState} after a flush and gives up when it is not {@link LinkState#ALIVE};</li>
 * <li>calls {@link #release} once in the end.</li>
 * </ul>
 * Time is whole milliseconds of any monotonic clock, wrapping; backward steps are ignored.
 *
 * <p>Not thread safe: one thread at a time, the channel's event loop. Implements sections 1 and 2 of
 * {@code wire-format.md}; checked against kcp-go ({@code kcp.go}).
 */
public final class Kcp {

    /** {@link #nextDeadline} of a conversation that waits for nothing. */
    public static final int NO_DEADLINE = Integer.MAX_VALUE;

    private final int conv;
    private final KcpOutput output;
    private final KcpCounters counters = new KcpCounters();
    private final SessionClock clock;
    private final RttEstimator rtt = new RttEstimator();
    private final LossDetector detector = new LossDetector(rtt);
    private final AckQueue acks = new AckQueue();
    private final WindowProbe probe = new WindowProbe();
    private final PeerLiveness liveness;
    private final LivenessProbe livenessProbe;
    private final HeldBytes held;
    private final SendQueue sendQueue;
    private final SendWindow sendWindow;
    private final ReceiveWindow receiveWindow;
    private final RemoteWindow remoteWindow;
    private final FirstMessage firstMessage = new FirstMessage();
    private final DatagramReader reader;
    private final DatagramWriter writer;
    private final ControlSegments control;
    private final Transmitter transmitter;

    private KcpConfig config;
    private int mtuBytes;
    private int ackDueAtMs;
    private int writeDueAtMs;
    private boolean flushing;
    private boolean released;

    /**
     * Creates a conversation that has sent and received nothing.
     *
     * @param conv          the conversation id, the same on both sides
     * @param config        the settings
     * @param output        where datagrams go
     * @param pool          what the conversations of this thread share
     * @param timestampBase added to the clock in every {@code ts} that goes out; a random number, so that only who saw
     *                      them can echo them
     * @param nowMs         the clock
     * @throws IllegalArgumentException if the MTU leaves no room for one byte of payload
     */
    public Kcp(int conv, KcpConfig config, KcpOutput output, SegmentPool pool, int timestampBase, int nowMs) {
        this(conv, config, output, pool, timestampBase, nowMs, 0, 0);
    }

    /** Starts at other numbers than 0, so that a test reaches their wrap. */
    Kcp(int conv, KcpConfig config, KcpOutput output, SegmentPool pool, int timestampBase, int nowMs, int firstSendSn,
        int firstReceiveSn) {
        this.conv = conv;
        this.config = config;
        this.output = Objects.requireNonNull(output, "output");
        clock = new SessionClock(nowMs);
        liveness = new PeerLiveness(nowMs);
        livenessProbe = new LivenessProbe(timestampBase);
        held = new HeldBytes(pool.held(), output);
        sendQueue = new SendQueue(pool);
        sendWindow = new SendWindow(pool, detector, firstSendSn);
        receiveWindow = new ReceiveWindow(pool, held, firstReceiveSn);
        remoteWindow = new RemoteWindow(firstSendSn);
        writer = new DatagramWriter(conv, output, counters);
        control = new ControlSegments(acks, probe, livenessProbe, writer);
        transmitter = new Transmitter(timestampBase, counters, sendQueue, sendWindow, detector, remoteWindow, writer);
        reader = new DatagramReader(conv, timestampBase, counters, sendWindow, receiveWindow, detector, rtt, remoteWindow,
            acks, probe, livenessProbe, transmitter);
        reconfigure(config);
        held.begin();
    }

    // ---- in

    /**
     * Takes in one datagram. It is looked at whole first: one that is not {@link InputResult#ACCEPTED} changes nothing.
     * Sends nothing by itself.
     *
     * @param datagram  the datagram without FEC and cipher headers, <b>borrowed</b>: it may be retained, as the payload that is
     *                  handed out later, and its reader index moved; the caller does not use its content any more
     * @param recovered whether FEC made it: it is late then, so its window and its times say nothing
     * @param nowMs     the clock
     * @return what it was
     */
    public InputResult input(ByteBuf datagram, boolean recovered, int nowMs) {
        int timeMs = clock.advance(nowMs);
        InputResult result = reader.read(datagram, recovered, timeMs);
        if (result != InputResult.ACCEPTED) {
            return result;
        }
        if (reader.acksBegan()) {
            ackDueAtMs = timeMs + config.intervalMs();
        }
        if (reader.rttSampleMs() >= 0) {
            rtt.onSample(reader.rttSampleMs());
        }
        if (reader.acknowledged() > 0) {
            detector.onProgress(reader.acknowledged(), timeMs);
        }
        if ((reader.heard() || reader.verified()) && liveness.takeRestart(reader.verified(), rtt.rtoMs())) {
            sendWindow.hurryOldest();
        }
        if (reader.verified()) {
            liveness.onVerified(timeMs);
            livenessProbe.end();
            if (reader.unaAdvanced()) {
                liveness.onReceived();
            }
        } else if (reader.asks() && liveness.shouldAskBack(timeMs)) {
            startPing(timeMs);
        }
        if (firstMessage.isPending()) {
            firstMessage.onAnswer(remoteWindow, sendWindow, mssBytes());
        }
        transmitter.onInput(reader, rtt, timeMs, mssBytes());
        countHeld();
        // Acknowledgements may have freed the memory that kept the window small.
        announceWindow();
        return result;
    }

    /**
     * Queues a message, or bytes of the stream.
     *
     * @param message what to send, <b>taken</b>, also by a call that throws; an empty one is an empty message, or nothing in
     *                stream mode
     * @param nowMs   the clock
     * @throws MessageTooLargeException if a message exceeds {@link #maxMessageBytes()}
     */
    public void send(ByteBuf message, int nowMs) {
        int bytes = message.readableBytes();
        if (sendQueue.isEmpty()) {
            writeDueAtMs = clock.advance(nowMs) + config.intervalMs();
        }
        if (config.mode() == KcpMode.STREAM) {
            sendQueue.addStream(message, mssBytes());
        } else {
            if (bytes > maxMessageBytes()) {
                message.release();
                throw tooLarge(bytes);
            }
            int firstSn = sendWindow.nextSn() + sendQueue.size();
            sendQueue.addMessage(message, mssBytes());
            if (!remoteWindow.isKnown()) {
                firstMessage.onQueued(sendWindow.nextSn() + sendQueue.size() - firstSn, bytes, firstSn);
            }
        }
        counters.bytesSent += bytes;
        countHeld();
    }

    /**
     * Returns what this conversation holds of the memory that the conversations of its thread share.
     *
     * @return the count
     */
    public HeldBytes held() {
        return held;
    }

    /**
     * Asks the peer for a sign of life with the next flush: a WASK and an empty duplicate PUSH, both of which every KCP
     * answers. Repeated until a datagram comes that cannot be a replay; without one the dead-peer rule applies.
     *
     * @param nowMs the clock
     */
    public void ping(int nowMs) {
        int timeMs = clock.advance(nowMs);
        look(timeMs);
        startPing(timeMs);
    }

    private void startPing(int timeMs) {
        liveness.startPing(timeMs);
        livenessProbe.begin(sendWindow.oldestUnacked(), timeMs);
        probe.askNow();
    }

    /**
     * Changes the settings of a live conversation. Queued bytes of a stream are cut anew for a smaller MTU; segments and
     * messages that are on their way keep their size.
     *
     * @param newConfig the settings from now on
     * @throws IllegalArgumentException if the MTU leaves no room for one byte of payload; nothing was changed then
     */
    public void reconfigure(KcpConfig newConfig) {
        int newMtuBytes = newConfig.mtuBytes() - output.overheadBytes();
        if (newMtuBytes < KcpConfig.MIN_MTU_BYTES) {
            throw new IllegalArgumentException("mtuBytes: " + newConfig.mtuBytes() + " (expected: at least "
                + (KcpConfig.MIN_MTU_BYTES + output.overheadBytes()) + " with " + output.overheadBytes() + " bytes of overhead)");
        }
        if (newMtuBytes < mtuBytes && newConfig.mode() == KcpMode.STREAM) {
            // First, because it needs memory: nothing has changed if it throws.
            sendQueue.resegmentStream(newMtuBytes - SegmentHeader.LENGTH);
        }
        config = newConfig;
        mtuBytes = newMtuBytes;
        detector.reconfigure(newConfig, output.sendsParity());
        rtt.reconfigure(newConfig.intervalMs(), newConfig.minRtoMs());
        liveness.reconfigure(newConfig);
        probe.reconfigure(newConfig);
        receiveWindow.reconfigure(newConfig);
        transmitter.reconfigure(newConfig);
    }

    // ---- out

    /**
     * Sends what is due: acknowledgements, probes, what counts as lost, and new segments as far as the windows allow. A
     * call from within {@link KcpOutput#write} does nothing.
     *
     * @param nowMs the clock
     */
    public void flush(int nowMs) {
        flush(nowMs, Integer.MAX_VALUE);
    }

    /**
     * Does the same, but sends so many segments of data at most, so that others get their turn.
     *
     * @param nowMs       the clock
     * @param maxSegments segments, at least 1
     * @return whether more would be sent now if it were not for this limit
     */
    public boolean flush(int nowMs, int maxSegments) {
        int timeMs = clock.advance(nowMs);
        if (flushing || released) {
            return false;
        }
        flushing = true;
        try {
            look(timeMs);
            if (liveness.takePingDue(timeMs)) {
                probe.askNow();
            } else if (isStalled() && liveness.shouldAskStalledPeer()) {
                startPing(timeMs);
            }
            probe.onFlush(isStalled(), timeMs);
            writer.begin(mtuBytes, receiveWindow.free(), receiveWindow.nextExpected());
            control.write(receiveWindow.nextExpected());
            boolean cut = transmitter.transmit(timeMs, mssBytes(), maxSegments);
            writer.end();
            // Again: what was sent just now is outstanding from now on.
            look(timeMs);
            if (transmitter.isExhausted()) {
                liveness.onTransmissionsExhausted();
            }
            return cut;
        } finally {
            flushing = false;
            if (released) {
                releaseAll();
            }
        }
    }

    /**
     * Takes out one message (message mode of the peer), or what one segment of its stream carried.
     *
     * @return the payload, <b>returned owned</b>, or null if nothing is complete
     */
    public @Nullable ByteBuf receive() {
        ByteBuf message = receiveWindow.poll();
        while (message != null && config.mode() == KcpMode.STREAM && !message.isReadable()) {
            message.release();
            message = receiveWindow.poll();
        }
        countHeld();
        announceWindow();
        if (message != null) {
            held.onReceived();
            counters.bytesReceived += message.readableBytes();
        }
        return message;
    }

    /**
     * Announces the receive window with the next flush if it is much larger than the peer knows. To be called when the memory
     * that the conversations of the thread hold has fallen below its limit.
     */
    public void announceWindow() {
        if (isUpdateDue(receiveWindow.free())) {
            probe.updateNow();
        }
    }

    /**
     * Returns whether the peer should learn of a larger window at once: it knows a closed one, or one of at most a quarter
     * and half a window has been read since (RFC 9293, 3.8.6.2.2). With a few segments left it would wait a round trip.
     */
    private boolean isUpdateDue(int free) {
        int announced = writer.announcedWindow();
        int window = receiveWindow.windowSegments();
        return announced == 0 && free > 0 || announced > 0 && announced <= window >> 2 && free - announced >= window + 1 >> 1;
    }

    /**
     * Copies what waits to be read out of the datagrams that brought it. To be called when reading stops for now, so that
     * a few bytes do not keep a large read buffer.
     */
    public void detachReceived() {
        receiveWindow.detach();
    }

    /**
     * Returns whether arrays are held that only a burst needed.
     *
     * @return {@code true} if {@link #trim} may give memory back once nothing waits in them
     */
    public boolean holdsSpareMemory() {
        return acks.isLarge() || sendWindow.isLarge() || receiveWindow.isLarge();
    }

    /** Gives back arrays that a burst made large and that hold nothing now. To be called when the conversation has paused. */
    public void trim() {
        acks.trim();
        sendWindow.trim();
        receiveWindow.trim();
    }

    /**
     * Releases everything that is held; from within {@link KcpOutput#write}, when that flush ends. Only getters may be
     * called afterwards.
     */
    public void release() {
        if (!released) {
            released = true;
            if (!flushing) {
                releaseAll();
            }
        }
    }

    private void releaseAll() {
        sendQueue.release();
        sendWindow.release();
        receiveWindow.release();
        held.release();
    }

    private void countHeld() {
        long unacknowledged = unacknowledgedBytes() + (long) waitingSegments() * HeldMemory.SEGMENT_OVERHEAD_BYTES;
        held.set(unacknowledged, receiveWindow.readableBytes(), receiveWindow.outOfOrderBytes());
    }

    // ---- time

    /**
     * Tells when {@link #flush} is needed next.
     *
     * @param nowMs the clock
     * @return milliseconds from now, 0 if it is due, {@link #NO_DEADLINE} if the conversation is idle
     */
    public int nextDeadline(int nowMs) {
        int timeMs = clock.advance(nowMs);
        if (released) {
            return NO_DEADLINE;
        }
        if (probe.isPending()) {
            return 0;
        }
        int wait = NO_DEADLINE;
        if (!acks.isEmpty()) {
            if (config.ackNoDelay() || acks.size() >= mtuBytes / SegmentHeader.LENGTH) {
                return 0;
            }
            wait = ackDueAtMs - timeMs;
        }
        if (isStalled()) {
            wait = Math.min(wait, probe.isTimerRunning() ? probe.msUntilAsk(timeMs) : 0);
        }
        wait = Math.min(wait,
            transmitter.msUntilTransmission(timeMs, config.writeDelay() && canSend(), writeDueAtMs));
        wait = Math.min(wait, detector.msUntilNextLoss(timeMs, !transmitter.canAdmit()));
        wait = Math.min(wait, liveness.msUntilLook(timeMs, isOutstanding(), isRefused()));
        return Math.max(wait, 0);
    }

    /**
     * Tells whether the conversation can go on.
     *
     * @param nowMs the clock
     * @return the state; anything but {@link LinkState#ALIVE} is final
     */
    public LinkState linkState(int nowMs) {
        look(clock.advance(nowMs));
        LinkState state = liveness.state();
        if (state == LinkState.PEER_NOT_READING) {
            firstMessage.onTimeout(remoteWindow, mssBytes());
        }
        return state;
    }

    // ---- getters

    /**
     * Returns the conversation id.
     *
     * @return {@code conv}
     */
    public int conv() {
        return conv;
    }

    /**
     * Returns the settings.
     *
     * @return the settings in force
     */
    public KcpConfig config() {
        return config;
    }

    /**
     * Tells whether a writer may go on: fewer segments wait or are in flight than the send window has.
     *
     * @return whether
     */
    public boolean canSend() {
        return waitingSegments() < config.sendWindow();
    }

    /**
     * Returns how many bytes of a stream would fill the send window.
     *
     * @return bytes, 0 if {@link #canSend()} is false
     */
    public int sendableBytes() {
        return Math.max(0, config.sendWindow() - waitingSegments()) * mssBytes();
    }

    /**
     * Returns how many segments are queued or in flight ({@code WaitSnd}).
     *
     * @return segments
     */
    public int waitingSegments() {
        return sendQueue.size() + sendWindow.span();
    }

    /**
     * Returns how many bytes were accepted by {@link #send} and are not acknowledged.
     *
     * @return bytes
     */
    public long unacknowledgedBytes() {
        return sendQueue.bytes() + sendWindow.unacknowledgedBytes();
    }

    /**
     * Returns how many bytes were accepted by {@link #send} and are acknowledged by the peer.
     *
     * @return bytes
     */
    public long acknowledgedBytes() {
        return counters.bytesSent - unacknowledgedBytes();
    }

    /**
     * Tells whether all that was accepted is acknowledged.
     *
     * @return whether
     */
    public boolean isIdle() {
        return sendQueue.isEmpty() && sendWindow.isEmpty();
    }

    /**
     * Returns how often the oldest unacknowledged segment was sent, its first transmission included.
     *
     * @return transmissions, 0 if no segment is in flight
     */
    public int oldestTransmissions() {
        return sendWindow.oldestTransmissions();
    }

    /**
     * Tells whether something was received that the peer has not been told of yet.
     *
     * @return whether
     */
    public boolean owesAcknowledgement() {
        return !acks.isEmpty();
    }

    /**
     * Tells whether {@link #receive} may have something.
     *
     * @return whether
     */
    public boolean hasReceivable() {
        return receiveWindow.hasMessage();
    }

    /**
     * Returns the largest message that {@link #send} takes now: the least of {@link KcpConfig#maxMessageBytes()}, 255
     * fragments, and the largest window that the peer has shown. Before the first datagram from it the window does not limit:
     * the first 32 segments are sent, and the answers decide, see {@link FirstMessage}. No limit in stream mode.
     *
     * @return bytes
     */
    public int maxMessageBytes() {
        if (config.mode() == KcpMode.STREAM) {
            return Integer.MAX_VALUE;
        }
        int window = remoteWindow.isKnown() ? remoteWindow.largest() : KcpConfig.MAX_FRAGMENTS;
        return Math.min(config.maxMessageBytes(), Math.min(KcpConfig.MAX_FRAGMENTS, window) * mssBytes());
    }

    /**
     * Returns what became of messages above 32 segments that were queued before the peer's window was known.
     *
     * @return their state
     */
    public FirstMessage firstMessage() {
        return firstMessage;
    }

    /**
     * Says why a message of that size is refused.
     *
     * @param messageBytes more than {@link #maxMessageBytes()}
     * @return an exception that names the limit
     */
    public MessageTooLargeException tooLarge(int messageBytes) {
        int limitBytes = maxMessageBytes();
        return new MessageTooLargeException(messageBytes, limitBytes,
            limitBytes == config.maxMessageBytes() ? "maxMessageBytes" : remoteWindow.limitName());
    }

    /**
     * Returns the largest payload of a segment.
     *
     * @return bytes
     */
    public int mssBytes() {
        return mtuBytes - SegmentHeader.LENGTH;
    }

    /**
     * Returns the smoothed round trip.
     *
     * @return milliseconds, 0 before the first measurement
     */
    public int smoothedRttMs() {
        return rtt.smoothedRttMs();
    }

    /**
     * Returns the mean deviation of the round trip.
     *
     * @return milliseconds
     */
    public int rttVariationMs() {
        return rtt.variationMs();
    }

    /**
     * Returns the retransmission timeout of a segment that was sent once.
     *
     * @return milliseconds
     */
    public int rtoMs() {
        return rtt.rtoMs();
    }

    /**
     * Returns the window that the peer showed last.
     *
     * @return segments
     */
    public int remoteWindow() {
        return remoteWindow.segments();
    }

    /**
     * Returns how long ago the peer was last known to be alive. That takes a datagram that delivers or acknowledges something
     * new, a new retransmission, or the answer to {@link #ping}; WASK, WINS and repeated datagrams may be replays.
     *
     * @param nowMs the clock
     * @return milliseconds since then, or since the beginning
     */
    public int silentMs(int nowMs) {
        return liveness.msSinceVerified(clock.advance(nowMs));
    }

    /**
     * Returns the number of the next segment that is expected: every one before it was received.
     *
     * @return {@code rcv_nxt}
     */
    public int nextExpectedSn() {
        return receiveWindow.nextExpected();
    }

    /**
     * Tells whether the peer ever acknowledged something.
     *
     * @return whether any segment of ours arrived there
     */
    public boolean isAcknowledged() {
        return reader.everAcknowledged();
    }

    /**
     * Returns whether the peer has proved that it receives what is sent to its address: an ACK echoed the {@code ts} of a segment
     * or of a liveness probe, whose base is random. A {@code una} is no proof, because it can be guessed.
     *
     * @return {@code true} once such an ACK was received
     */
    public boolean isPeerValidated() {
        return rtt.isSampled() || livenessProbe.wasEchoed();
    }

    /**
     * Returns the counts so far.
     *
     * @return a snapshot
     */
    public KcpStats stats() {
        return counters.snapshot();
    }

    /** Returns how many segments were looked at so far: what must not grow with the window. */
    long segmentsVisited() {
        return sendWindow.segmentsVisited() + detector.segmentsVisited();
    }

    RttEstimator rtt() {
        return rtt;
    }

    CongestionControl congestion() {
        return transmitter.congestion();
    }

    // ---- inside

    /** Returns whether data waits for a peer whose window is closed, or too small for a fragment that it refuses. */
    private boolean isRefused() {
        return remoteWindow.segments() == 0 && !sendQueue.isEmpty() || firstMessage.isStuck(remoteWindow, sendWindow);
    }

    /**
     * Whether only the peer's next word can get us on: its window is closed, or it has everything by number but its reader
     * keeps una back. If that word is lost nobody speaks, so it has to be asked for.
     */
    private boolean isStalled() {
        return isRefused() || !sendWindow.isEmpty() && detector.inFlight() == 0 && sendWindow.lost().isEmpty();
    }

    private void look(int timeMs) {
        liveness.look(timeMs, isOutstanding(), isRefused());
    }

    /** Whether an answer is owed to us. */
    private boolean isOutstanding() {
        return !sendWindow.isEmpty() || liveness.isPinging() || isRefused();
    }
}
