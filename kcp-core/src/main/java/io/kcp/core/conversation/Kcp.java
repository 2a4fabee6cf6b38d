package io.kcp.core.conversation;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.KcpStats;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.LinkState;
import io.kcp.core.MessageTooLargeException;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.congestion.CongestionControl;
import io.kcp.core.internal.datagram.AmplificationLimit;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.memory.SegmentPool;
import io.kcp.core.internal.memory.SessionMemory;
import io.kcp.core.internal.path.PathMtu;
import io.kcp.core.internal.peer.WindowProbe;
import io.kcp.core.internal.receive.AckQueue;
import io.kcp.core.internal.receive.AckThinning;
import io.kcp.core.internal.receive.PushReader;
import io.kcp.core.internal.receive.ReceiveWindow;
import io.kcp.core.internal.send.InitialWindowMessages;
import io.kcp.core.internal.send.Sender;
import io.kcp.core.internal.session.DatagramReport;
import io.kcp.core.internal.session.KcpCounters;
import io.kcp.core.internal.session.SessionClock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One side of a KCP conversation. A conversation packs the application's messages into datagrams, retransmits lost segments, and delivers
 * the messages of the peer in order and exactly once.
 *
 * <p>A conversation has no timer, socket or thread. Its owner
 * <ul>
 * <li>passes inbound datagrams to {@link #input} and outbound messages to {@link #send};</li>
 * <li>reads received messages with {@link #receive};</li>
 * <li>calls {@link #flush} after a batch of input, after {@code send}, and when the time that {@link #nextDeadline} returned has
 * passed. An idle conversation has no deadline;</li>
 * <li>checks {@link #linkState} after a flush, and closes the conversation if it is not {@link LinkState#ALIVE};</li>
 * <li>calls {@link #release} once at the end.</li>
 * </ul>
 *
 * <p>Times are whole milliseconds of any monotonic clock and may wrap. Backward steps are ignored.
 *
 * <p>Not thread-safe: only one thread at a time, the channel's event loop, may use a conversation. Implements sections 1 and 2 of
 * {@code wire-format.md}, and is checked against kcp-go ({@code kcp.go}).
 */
public final class Kcp {

    /** Returned by {@link #nextDeadline} if the conversation needs no flush before the next {@link #input} or {@link #send}. */
    public static final int NO_DEADLINE = ProtocolConstants.NO_DEADLINE;

    private final int conv;
    private final KcpCounters counters = new KcpCounters();
    private final SessionClock clock;
    private final RttEstimator rtt = new RttEstimator();
    private final AckQueue acks = new AckQueue();
    private final WindowProbe probe = new WindowProbe();
    private final SessionMemory memory;
    private final Sender sender;
    private final ReceiveWindow receiveWindow;
    private final PeerMonitor peer;
    private final AckReader ackReader;
    private final CloseNotice closeNotice;
    private final DatagramReader reader;
    private final DatagramWriter writer;
    private final AmplificationLimit limit;
    private @Nullable PeerValidation validation; // null unless the amplification limit is active
    private final PathMtu mtu;

    private KcpConfig config;
    private boolean flushing;
    private boolean released;

    /**
     * Creates a conversation in its initial state that recycles its own segments.
     *
     * @param conv          the conversation id, which both sides share
     * @param config        the settings
     * @param output        sends the datagrams
     * @param allocator     allocates copies of payload
     * @param timestampBase a random number that is added to the clock in every outbound {@code ts}, so that only a receiver of the segments
     *                      can echo it
     * @param nowMs         the current time in milliseconds
     * @throws IllegalArgumentException if the MTU leaves no room for one byte of payload
     */
    public Kcp(int conv, KcpConfig config, KcpOutput output, ByteBufAllocator allocator, int timestampBase, int nowMs) {
        this(conv, config, output, new SegmentPool(allocator), timestampBase, nowMs);
    }

    /**
     * Creates a conversation like {@link #Kcp(int, KcpConfig, KcpOutput, ByteBufAllocator, int, int)} that shares segments and a memory
     * limit with other conversations. Internal: only kcp-netty has access to {@link SegmentPool}.
     *
     * @param conv          the conversation id, which both sides share
     * @param config        the settings
     * @param output        sends the datagrams
     * @param pool          segments and memory limits that the conversations of this thread share
     * @param timestampBase a random number that is added to the clock in every outbound {@code ts}, so that only a receiver of the segments
     *                      can echo it
     * @param nowMs         the current time in milliseconds
     * @throws IllegalArgumentException if the MTU leaves no room for one byte of payload
     */
    public Kcp(int conv, KcpConfig config, KcpOutput output, SegmentPool pool, int timestampBase, int nowMs) {
        this(conv, config, output, pool, timestampBase, nowMs, 0, 0);
    }

    /** Creates a conversation whose segment numbers start at the given values, so that a test can reach their wrap-around. */
    Kcp(int conv, KcpConfig config, KcpOutput output, SegmentPool pool, int timestampBase, int nowMs, int firstSendSn,
        int firstReceiveSn) {
        this.conv = conv;
        this.config = config;
        Objects.requireNonNull(output, "output");
        clock = new SessionClock(nowMs);
        memory = new SessionMemory(pool.memoryLimit(), output);
        limit = AmplificationLimit.of(output, timestampBase);
        mtu = new PathMtu(output, counters, timestampBase);
        writer = new DatagramWriter(conv, output, counters, limit, mtu.blackHole());
        sender = new Sender(pool, rtt, counters, writer, limit, clock, timestampBase, firstSendSn, memory);
        receiveWindow = new ReceiveWindow(pool, memory, firstReceiveSn);
        peer = new PeerMonitor(rtt, sender, probe, limit, timestampBase, config, nowMs, counters, output);
        ackReader = new AckReader(timestampBase, counters, sender, rtt, peer.livenessProbe(), limit, mtu);
        PushReader pushReader = new PushReader(counters, receiveWindow, acks, probe, rtt);
        closeNotice = new CloseNotice(conv, timestampBase, sender.window(), receiveWindow);
        reader = new DatagramReader(conv, counters, ackReader, pushReader, probe, closeNotice, pool);
        validation = limit.isActive() ? new PeerValidation(limit, sender, rtt, pushReader, receiveWindow, acks, probe) : null;
        reconfigure(config);
        memory.begin();
    }

    /**
     * Processes one inbound datagram. The whole datagram is validated first, and nothing changes unless the result is
     * {@link InputResult#ACCEPTED}. This method sends nothing.
     *
     * @param datagram  the datagram without FEC and cipher headers, <b>borrowed</b>: the conversation may retain it as the payload of
     *                  a message and move its reader index, so the caller must not change its content
     * @param recovered {@code true} if FEC recovered the datagram. Such a datagram is late, so its window and timestamps are not used
     * @param nowMs     the current time in milliseconds
     * @return {@link InputResult#ACCEPTED}, or the reason why the datagram was rejected
     */
    public InputResult input(ByteBuf datagram, boolean recovered, int nowMs) {
        return read(datagram, recovered, clock.advance(nowMs));
    }

    /**
     * Processes one inbound datagram like {@link #input(ByteBuf, boolean, int)}, with a clock that is precise enough to measure delivery
     * rates of 1 Gbit/s. Only {@link CongestionAlgorithm#BBR} uses the additional precision.
     *
     * @param datagram  the datagram without FEC and cipher headers, <b>borrowed</b>
     * @param recovered {@code true} if FEC recovered the datagram
     * @param nowMs     the current time in milliseconds
     * @param nowMicros the same time in microseconds
     * @return {@link InputResult#ACCEPTED}, or the reason why the datagram was rejected
     */
    public InputResult input(ByteBuf datagram, boolean recovered, int nowMs, long nowMicros) {
        int timeMs = clock.advance(nowMs);
        clock.refine(nowMicros);
        return read(datagram, recovered, timeMs);
    }

    private InputResult read(ByteBuf datagram, boolean recovered, int timeMs) {
        InputResult result = reader.read(datagram, recovered, timeMs);
        if (result != InputResult.ACCEPTED) {
            return result;
        }
        DatagramReport report = reader.report();
        if (report.startsAcks) {
            acks.delayUntil(timeMs + config.intervalMs());
        }
        if (report.rttSampleMs >= 0) {
            rtt.onSample(report.rttSampleMs);
        }
        peer.onDatagram(report, timeMs);
        sender.onDatagram(report, timeMs);
        if (validation != null && validation.onDatagram(report.bytes, peer.isValidated(), timeMs)) {
            validation = null;
        }
        if (report.verified && validation == null) {
            closeNotice.onPeerVerified();
        }
        countMemory();
        // The datagram may have freed memory or ended a round trip, so the receive window may have grown.
        receiveWindow.grow(rtt.smoothedRttMs(), timeMs);
        announceWindow();
        return result;
    }

    /**
     * Queues a message for sending or, in stream mode, the bytes of a buffer.
     *
     * @param message the message, <b>taken</b>, even if this method throws an exception. An empty buffer is an empty message, or nothing in
     *                stream mode
     * @param nowMs   the current time in milliseconds
     * @throws MessageTooLargeException if a message exceeds {@link #maxMessageBytes()}
     */
    public void send(ByteBuf message, int nowMs) {
        sender.send(message, clock.advance(nowMs));
        countMemory();
    }

    /**
     * Counts the memory of outbound and inbound data, and of arrays that a burst has enlarged. While memory is short, such arrays are freed
     * as soon as they are empty.
     */
    private void countMemory() {
        if (memory.isShort()) {
            sender.trim();
            receiveWindow.trim();
            acks.trim();
        }
        memory.setArrays(receiveWindow.arrayBytes(), sender.arrayBytes() + acks.arrayBytes());
        memory.set(sender.unacknowledgedBytes() + (long) sender.waitingSegments() * ProtocolConstants.SEGMENT_OVERHEAD_BYTES,
            receiveWindow.readableBytes(), receiveWindow.outOfOrderBytes());
    }

    /** Counts the memory of received data after the application has taken a message, and everything while memory is short. */
    private void countTaken() {
        if (memory.isShort()) {
            countMemory();
        } else {
            memory.setReceived(receiveWindow.readableBytes(), receiveWindow.outOfOrderBytes(), receiveWindow.arrayBytes());
        }
    }

    /** Returns the counter of the memory that this conversation holds. */
    public SessionMemory memory() {
        return memory;
    }

    /**
     * Sends a liveness probe with the next flush: a WASK and an empty duplicate PUSH, to which every KCP implementation responds. The probe
     * is repeated until a datagram arrives that cannot be a replay. If none arrives, the conversation fails after
     * {@link KcpConfig#deadPeerTimeoutMs()}.
     *
     * @param nowMs the current time in milliseconds
     */
    public void ping(int nowMs) {
        peer.ping(clock.advance(nowMs));
    }

    /**
     * Changes the settings of a live conversation. If the MTU becomes smaller, queued bytes of a stream are split again. Segments in flight
     * and queued messages keep their size.
     *
     * @param newConfig the new settings
     * @throws IllegalArgumentException if the MTU leaves no room for one byte of payload, in which case nothing changes
     */
    public void reconfigure(KcpConfig newConfig) {
        mtu.reconfigure(newConfig, sender);
        config = newConfig;
        rtt.reconfigure(newConfig.intervalMs(), newConfig.minRtoMs());
        peer.reconfigure(newConfig);
        receiveWindow.reconfigure(newConfig);
    }

    /**
     * Reduces the MTU with the next flush, unless {@link KcpConfig#mtuFallback()} forbids it. The owner calls this method when the kernel
     * refuses a datagram of this conversation because of its size.
     */
    public void onDatagramTooLarge() {
        mtu.blackHole().onRefused();
    }

    /**
     * Suspends the retransmission timeouts, or resumes them. An owner that is behind with reading datagrams suspends them, because the
     * datagrams that it has not read yet may acknowledge the segments whose timeouts have expired. Other retransmissions continue.
     *
     * <p>A suspension ends after one second, because the datagrams may not contain the acknowledgements. Calling this method again does not
     * extend that time. The timeouts then apply for at least one second before they can be suspended again. Without segments in flight,
     * this method suspends nothing.
     *
     * @param suspended {@code true} to suspend the timeouts
     * @param nowMs     the current time in milliseconds
     */
    public void suspendTimeouts(boolean suspended, int nowMs) {
        sender.suspendTimeouts(suspended, clock.advance(nowMs));
    }

    /**
     * Sends everything that is due: acknowledgements, probes, retransmissions, and as many new segments as the windows allow. A call
     * from within {@link KcpOutput#write} does nothing.
     *
     * @param nowMs the current time in milliseconds
     */
    public void flush(int nowMs) {
        flush(nowMs, Integer.MAX_VALUE);
    }

    /**
     * Sends everything that is due, like {@link #flush(int)}, but limits the number of data segments, so that other conversations of the
     * thread are not delayed.
     *
     * @param nowMs       the current time in milliseconds
     * @param maxSegments the limit, 0 to send only acknowledgements and probes
     * @return {@code true} if only this limit prevented more segments from being sent
     */
    public boolean flush(int nowMs, int maxSegments) {
        return write(clock.advance(nowMs), maxSegments);
    }

    /**
     * Sends everything that is due, like {@link #flush(int, int)}, with a clock that is precise enough to pace rates of 1 Gbit/s.
     *
     * @param nowMs       the current time in milliseconds
     * @param maxSegments the limit, 0 to send only acknowledgements and probes
     * @param nowMicros   the same time in microseconds
     * @return {@code true} if only this limit prevented more segments from being sent
     */
    public boolean flush(int nowMs, int maxSegments, long nowMicros) {
        int timeMs = clock.advance(nowMs);
        clock.refine(nowMicros);
        return write(timeMs, maxSegments);
    }

    private boolean write(int timeMs, int maxSegments) {
        if (flushing || released) {
            return false;
        }
        flushing = true;
        try {
            mtu.update(sender, timeMs);
            peer.beforeFlush(timeMs);
            int una = validation == null ? receiveWindow.nextExpected() : validation.holdNewest(timeMs);
            writer.begin(mtu.bytes(), receiveWindow.announce(timeMs), una);
            ControlSegments.write(acks, probe, peer.livenessProbe(), closeNotice, una, writer, timeMs);
            peer.writePathSegments(writer, timeMs);
            boolean cut = sender.transmit(timeMs, maxSegments);
            // A side that only sends has written no control segments, to which the query could have been appended.
            closeNotice.appendQuery(writer, timeMs);
            if (validation != null) {
                validation.writeProbe(writer, timeMs);
            }
            writer.end();
            mtu.probe(writer, sender, limit, rtt, timeMs);
            peer.afterFlush(timeMs);
            return cut;
        } finally {
            flushing = false;
            if (released) {
                releaseAll();
            }
        }
    }

    /**
     * Removes and returns the next received message. If this side uses stream mode, empty messages are skipped.
     *
     * @return one message if the peer sends messages, or the payload of one segment of its stream, <b>returned owned</b>; null if no
     *         message is complete
     */
    public @Nullable ByteBuf receive() {
        ByteBuf message = receiveWindow.poll();
        while (message != null && config.mode() == KcpTransferMode.STREAM && !message.isReadable()) {
            message.release();
            message = receiveWindow.poll();
        }
        countTaken();
        announceWindow();
        if (message != null) {
            memory.onReceived();
            counters.bytesReceived += message.readableBytes();
        }
        return message;
    }

    /**
     * Announces the receive window with the next flush if it is much larger than the last announced window. The owner calls this method
     * when the memory that the conversations of the thread hold has fallen below its limit.
     */
    public void announceWindow() {
        if (receiveWindow.isUpdateDue(writer.announcedWindow())) {
            probe.updateNow();
        }
    }

    /**
     * Copies received payloads out of their datagrams, so that a few unread bytes do not keep a large read buffer alive. The owner calls
     * this method when it pauses reading.
     */
    public void detachReceived() {
        receiveWindow.detach();
    }

    /**
     * Returns {@code true} if the conversation holds arrays that a past burst has enlarged and that {@link #trim} can free once they are
     * empty.
     */
    public boolean holdsSpareMemory() {
        return acks.arrayBytes() + sender.arrayBytes() + receiveWindow.arrayBytes() > 0;
    }

    /** Frees empty arrays that a burst of traffic has enlarged. The owner calls this method when the conversation is idle. */
    public void trim() {
        acks.trim();
        sender.trimIdle();
        receiveWindow.trim();
        countMemory();
    }

    /**
     * Releases all buffers. A call from within {@link KcpOutput#write} takes effect at the end of that flush. Only getters may be
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
        sender.release();
        receiveWindow.release();
        memory.release();
    }

    /**
     * Returns the time until {@link #flush} must be called next.
     *
     * @param nowMs the current time in milliseconds
     * @return milliseconds from now, 0 if a flush is due, or {@link #NO_DEADLINE} if the conversation is idle
     */
    public int nextDeadline(int nowMs) {
        int timeMs = clock.advance(nowMs);
        if (released) {
            return NO_DEADLINE;
        }
        int waitMs = peer.msUntilDue(timeMs);
        if (limit.isStarved() || probe.isPending()) {
            return limit.isStarved() ? Math.max(waitMs, 0) : 0;
        }
        waitMs = Math.min(waitMs, acks.msUntilDue(timeMs, config.ackNoDelay(), mtu.bytes() / SegmentHeader.LENGTH, ackDelayMs()));
        waitMs = validation == null ? waitMs : Math.min(waitMs, validation.msUntilDue(timeMs));
        return Math.max(limit.isBlocked() ? waitMs : Math.min(waitMs, sender.msUntilDue(timeMs)), 0);
    }

    /** Returns the time in milliseconds for which the acknowledgements of a bulk transfer wait for each other, or 0. */
    private int ackDelayMs() {
        return closeNotice.isPeerKnown() ? AckThinning.delayMs(rtt.smoothedRttMs()) : 0;
    }

    /**
     * Returns the state of the conversation, which shows whether the conversation can continue.
     *
     * @param nowMs the current time in milliseconds
     * @return the state; every state except {@link LinkState#ALIVE} is final
     */
    public LinkState linkState(int nowMs) {
        return peer.linkState(clock.advance(nowMs));
    }

    /** Returns the object that writes and reads the notices by which the two sides report that they have closed the conversation. */
    public CloseNotice closeNotice() {
        return closeNotice;
    }

    /** Returns the object that detects whether the peer has moved to another address. It is created on the first call. */
    public PeerPath path() {
        return peer.path(reader, receiveWindow);
    }

    /** Returns the conversation id. */
    public int conv() {
        return conv;
    }

    /** Returns the current settings. */
    public KcpConfig config() {
        return config;
    }

    /** Returns {@code true} if the application may write because the send window is not full. */
    public boolean canSend() {
        return sender.canSend();
    }

    /** Returns the number of stream bytes that the send window has room for, or 0 if the application may not write. */
    public int sendableBytes() {
        return sender.sendableBytes();
    }

    /** Returns the number of segments that are queued or in flight (WaitSnd in kcp-go). */
    public int waitingSegments() {
        return sender.waitingSegments();
    }

    /** Returns the number of bytes accepted for sending that the peer has not acknowledged. */
    public long unacknowledgedBytes() {
        return sender.unacknowledgedBytes();
    }

    /** Returns the number of bytes accepted for sending that the peer has acknowledged. */
    public long acknowledgedBytes() {
        return counters.bytesSent - unacknowledgedBytes();
    }

    /** Returns {@code true} if the peer has acknowledged all data accepted for sending. */
    public boolean isIdle() {
        return sender.isIdle();
    }

    /** Returns the number of transmissions of the oldest unacknowledged segment, or 0 if no segment is in flight. */
    public int oldestTransmissions() {
        return sender.window().oldestTransmissions();
    }

    /** Returns the limit on the bytes that this conversation sends before the peer is validated. */
    public AmplificationLimit amplificationLimit() {
        return limit;
    }

    /** Returns {@code true} if acknowledgements are waiting to be sent. */
    public boolean owesAcknowledgement() {
        return !acks.isEmpty() || validation != null && validation.owesAcknowledgement();
    }

    /** Returns {@code true} if a complete message was received. In stream mode, it may be an empty one that {@link #receive} skips. */
    public boolean hasReceivable() {
        return receiveWindow.hasMessage();
    }

    /**
     * Returns the maximum size of a message that {@link #send} accepts now: the minimum of {@link KcpConfig#maxMessageBytes()}, 255
     * fragments, and the largest window that the peer has announced. Before the first datagram of the peer, its window is not a limit: the
     * first 32 segments are sent, and the acknowledgements show whether the peer can hold the message, as {@link InitialWindowMessages}
     * describes. There is no limit in stream mode.
     *
     * @return bytes
     */
    public int maxMessageBytes() {
        return sender.largestMessageBytes();
    }

    /** Returns the object that tracks messages of more than 32 segments that were queued before the peer's window was known. */
    public InitialWindowMessages initialWindowMessages() {
        return sender.initialWindowMessages();
    }

    /**
     * Creates the exception for a message that exceeds {@link #maxMessageBytes()}.
     *
     * @param messageBytes the size of the message
     * @return an exception that names the limit
     */
    public MessageTooLargeException tooLarge(int messageBytes) {
        return sender.tooLarge(messageBytes);
    }

    /** Returns the maximum payload of a segment in bytes. */
    public int mssBytes() {
        return mtu.mssBytes();
    }

    /** Returns the smoothed round-trip time in milliseconds, or 0 before the first measurement. */
    public int smoothedRttMs() {
        return rtt.smoothedRttMs();
    }

    /** Returns the mean deviation of the round-trip time in milliseconds. */
    public int rttVariationMs() {
        return rtt.variationMs();
    }

    /** Returns the retransmission timeout without backoff, in milliseconds. */
    public int rtoMs() {
        return rtt.rtoMs();
    }

    /** Returns the receive window, in segments, that the peer announced most recently. */
    public int remoteWindow() {
        return sender.remoteWindow().segments();
    }

    /**
     * Returns how long the peer has been inactive. A datagram counts as activity if it delivers new data, acknowledges a segment for the
     * first time, contains a retransmission with a new timestamp, or responds to {@link #ping}. WASK, WINS and repeated datagrams do not
     * count, because they may be replays.
     *
     * @param nowMs the current time in milliseconds
     * @return milliseconds since the last activity, or since the conversation was created
     */
    public int inactiveMs(int nowMs) {
        return peer.inactiveMs(clock.advance(nowMs));
    }

    /**
     * Returns {@code true} if at least a quarter of the receive window, and at least 64 segments, were received in order since the latest
     * flush and since this method last returned {@code true}. The owner should then deliver messages and flush before it reads more
     * datagrams. Otherwise, one read batch could contain all segments of the peer's send window, and the peer would have nothing to send
     * until the batch ends.
     */
    public boolean pollUnflushedQuarter() {
        return receiveWindow.pollUnflushedQuarter(writer.una());
    }

    /** Returns the lowest segment number that has not been received (rcv_nxt in other implementations). */
    public int nextExpectedSn() {
        return receiveWindow.nextExpected();
    }

    /** Returns {@code true} if the peer has ever acknowledged a segment. */
    public boolean isAcknowledged() {
        return ackReader.everAcknowledged();
    }

    /**
     * Returns {@code true} if the peer has echoed the {@code ts} of a segment or a liveness probe, which proves that the peer receives
     * datagrams at its address. An attacker cannot guess {@code ts} because its base is random. A {@code una} is not a proof, because it
     * can be guessed.
     *
     * @return {@code true} once such an ACK was received
     */
    public boolean isPeerValidated() {
        return peer.isValidated();
    }

    /** Returns a snapshot of the statistics. */
    public KcpStats stats() {
        return counters.snapshot();
    }

    /** Returns the number of segments that the conversation has examined so far. */
    long segmentsVisited() {
        return sender.segmentsVisited();
    }

    RttEstimator rtt() {
        return rtt;
    }

    CongestionControl congestion() {
        return sender.transmitter().feedback().congestion();
    }
}
