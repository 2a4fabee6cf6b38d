package io.kcp.testkit;

import io.kcp.core.InputResult;
import io.kcp.core.KcpOutput;
import io.kcp.core.LinkState;
import io.kcp.core.MtuProbeOutput;
import io.kcp.core.SegmentHeader;
import io.kcp.core.ShardArrivals;
import io.kcp.core.conversation.CloseNotice;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.fec.FecStats;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint of a {@link KcpPair}: a conversation, the code that drives it, and an application.
 *
 * <p>The endpoint runs at most once at any virtual time and processes all datagrams that arrived at that time. It passes them to the
 * conversation, lets the application read and write, flushes if a flush is due, checks the link state, and schedules the next deadline.
 * A test can freeze an endpoint and change its clock.
 */
public final class KcpEndpoint {

    private static final long NEVER = Long.MAX_VALUE;
    /**
     * Maximum number of flushes per step. A second flush may be due, because kcp-go's congestion control opens its window at the end of the
     * first flush.
     */
    private static final int MAX_FLUSHES_PER_STEP = 2;
    /** Number of copies of a close notice, as in kcp-netty. */
    private static final int NOTICE_COPIES = 3;

    private final SimulatedNetwork network;
    private final CountingAllocator buffers;
    private final EndpointSettings settings;
    private final Kcp kcp;
    private final SimulatedApplication application;
    private final WireInvariants invariants;
    private final WireStatistics statistics;
    private final DatagramLayers layers;
    private final ByteBuf plain = Unpooled.buffer();
    private final ToLongFunction<Kcp> visitCounter;
    private final LinkOutput output = new LinkOutput();
    private final LayerInput input = new LayerInput();
    private final ArrayDeque<ByteBuf> arrived = new ArrayDeque<>();
    private @Nullable SimulatedLink link;
    private @Nullable KcpEndpoint peer;
    /** The segments of the datagram that is passed to the link, or null if it contains parity. */
    private @Nullable ByteBuf sending;
    private int clockMs;
    private boolean stepScheduled;
    private long alarmUs = NEVER;
    private long frozenUntilUs;
    private LinkState linkState = LinkState.ALIVE;
    private long closedAtUs = -1;
    private boolean closedByPeer;
    private long flushes;
    private long inputs;
    private long latestInputUs = -1;
    private long visitsInInput;
    private long visitsInFlush;

    KcpEndpoint(String name, SimulatedNetwork network, CountingAllocator buffers, EndpointSettings settings, KcpFactory factory,
        ToLongFunction<Kcp> visitCounter) {
        this.network = network;
        this.buffers = buffers;
        this.settings = settings;
        this.visitCounter = visitCounter;
        clockMs = settings.clockMs();
        layers = new DatagramLayers(settings.layers(), buffers, settings.conv(), settings.seed());
        int overheadBytes = settings.overheadBytes() + layers.headBytes() + layers.tailBytes();
        kcp = factory.create(settings, output, buffers.allocator());
        if (settings.isThisLibrary()) {
            kcp.closeNotice().setToken((int) settings.seed());
            kcp.closeNotice().setEnabled(true);
        }
        application = new SimulatedApplication(network, buffers, kcp, () -> requestStep(network.nowUs()));
        invariants = new WireInvariants(name, settings.conv(), settings.config(), overheadBytes,
            settings.firstSendSn(), settings.firstReceiveSn(), () -> kcp.stats().unverifiedAcknowledgements() > 0);
        statistics = new WireStatistics(settings.firstSendSn(), kcp::rtoMs);
    }

    void connect(SimulatedLink outgoing, KcpEndpoint otherEndpoint, LinkObserver segmentObserver) {
        link = outgoing;
        peer = otherEndpoint;
        if (settings.isThisLibrary() && otherEndpoint.settings.isThisLibrary()) {
            invariants.allowRepeatedAcks();
        }
        outgoing.addObserver((datagram, fate, nowUs) -> {
            statistics.onDatagram(datagram.readableBytes(), fate, nowUs);
            ByteBuf segments = sending;
            if (segments != null) {
                statistics.onSegments(segments, fate, nowUs);
                segmentObserver.onSent(segments, fate, nowUs);
            }
        });
    }

    /**
     * Returns the conversation.
     *
     * @return the conversation
     */
    public Kcp kcp() {
        return kcp;
    }

    /**
     * Returns the application.
     *
     * @return the application
     */
    public SimulatedApplication application() {
        return application;
    }

    /**
     * Returns statistics of the datagrams that this endpoint has sent.
     *
     * @return the statistics
     */
    public WireStatistics sent() {
        return statistics;
    }

    /**
     * Returns the number of received datagrams that the cipher of this endpoint has rejected.
     *
     * @return the number of datagrams, 0 without a cipher
     */
    public long rejectedDatagrams() {
        return layers.rejected();
    }

    /**
     * Returns the number of parity datagrams that this endpoint has sent. {@link #sent()} includes them in the numbers of datagrams and
     * bytes.
     *
     * @return the number of datagrams, 0 without FEC
     */
    public long paritySent() {
        return layers.parityDatagrams();
    }

    /**
     * Returns the statistics of the FEC decoder of this endpoint.
     *
     * @return the statistics, all 0 if the peer sends no FEC
     */
    public FecStats fecStats() {
        return layers.fecStats();
    }

    WireInvariants invariants() {
        return invariants;
    }

    // ---- disturbances

    /**
     * Changes the clock of this endpoint, as if the system clock were set.
     *
     * @param byMs the change in milliseconds; negative values set the clock back
     */
    public void jumpClock(int byMs) {
        clockMs += byMs;
    }

    /**
     * Freezes this endpoint for some time, as a long garbage collection would. Datagrams that arrive during this time are processed
     * afterwards.
     *
     * @param durationMs the duration in milliseconds
     */
    public void freeze(long durationMs) {
        frozenUntilUs = network.nowUs() + durationMs * 1_000;
        requestStep(frozenUntilUs);
    }

    /**
     * Closes the conversation immediately, without waiting for acknowledgements. If both endpoints are {@link PeerKind#THIS_LIBRARY} and
     * have recognized each other, the peer is notified, and closes as soon as its application has read the messages that have arrived.
     */
    public void close() {
        if (closedAtUs < 0) {
            // Code 0 means that the peer has acknowledged everything, and code 1 that the application did not wait for that.
            stop(kcp.isIdle() ? 0 : 1);
        }
    }

    // ---- results

    /**
     * Returns the link state that the conversation reported when the endpoint most recently checked it. The endpoint stops if the state is
     * not {@link LinkState#ALIVE}.
     *
     * @return the state
     */
    public LinkState linkState() {
        return linkState;
    }

    /**
     * Returns the time at which the endpoint stopped, because the link state was no longer {@link LinkState#ALIVE}, the peer sent a close
     * notice, or {@link #close} was called.
     *
     * @return the virtual time in milliseconds, or -1 if the endpoint did not stop
     */
    public long closedAtMs() {
        return closedAtUs < 0 ? -1 : closedAtUs / 1_000;
    }

    /**
     * Returns {@code true} if the peer has sent a close notice.
     *
     * @return {@code true} if the peer has notified this endpoint that it closed the conversation
     */
    public boolean isClosedByPeer() {
        return closedByPeer;
    }

    /**
     * Returns the number of times that the conversation has been flushed.
     *
     * @return the number of flushes
     */
    public long flushes() {
        return flushes;
    }

    /**
     * Returns the number of datagrams that have been passed to the conversation.
     *
     * @return the number of datagrams
     */
    public long inputs() {
        return inputs;
    }

    /**
     * Returns the time at which the most recent datagram was passed to the conversation.
     *
     * @return the virtual time in milliseconds, or -1 if there was none
     */
    public long latestInputMs() {
        return latestInputUs < 0 ? -1 : latestInputUs / 1_000;
    }

    /** Returns the number of segments that the conversation visited while it processed datagrams. */
    long visitsInInput() {
        return visitsInInput;
    }

    /** Returns the number of segments that the conversation visited during flushes. */
    long visitsInFlush() {
        return visitsInFlush;
    }

    /**
     * Returns the current time on this endpoint's clock, which the endpoint passes to the methods of the conversation.
     *
     * @return the clock in milliseconds
     */
    public int nowMs() {
        return (int) (network.nowUs() / 1_000) + clockMs;
    }

    /** Returns the time of {@link #nowMs} in microseconds. */
    private long nowMicros() {
        return network.nowUs() + clockMs * 1_000L;
    }

    // ---- the driver

    void receive(ByteBuf datagram) {
        arrived.add(datagram);
        requestStep(Math.max(network.nowUs(), frozenUntilUs));
    }

    /** Schedules the next step of this endpoint. The step runs after all datagrams that arrive at the same time. */
    void requestStep(long atUs) {
        if (atUs <= network.nowUs()) {
            if (!stepScheduled) {
                stepScheduled = true;
                network.scheduleAfterArrivals(atUs, this::step);
            }
        } else if (atUs < alarmUs) {
            alarmUs = atUs;
            network.scheduleAfterArrivals(atUs, this::onAlarm);
        }
    }

    private void onAlarm() {
        // Ignores the call if a task for an earlier time has replaced this one.
        if (network.nowUs() == alarmUs) {
            alarmUs = NEVER;
            step();
        }
    }

    private void step() {
        stepScheduled = false;
        if (closedAtUs >= 0) {
            releaseArrived();
            return;
        }
        if (network.nowUs() < frozenUntilUs) {
            requestStep(frozenUntilUs);
            return;
        }
        int nowMs = nowMs();
        processArrived(nowMs);
        application.step(nowMs);
        if (closedByPeer) {
            closedAtUs = kcp.hasReceivable() ? -1 : network.nowUs();
            return;
        }
        for (int i = 0; i < MAX_FLUSHES_PER_STEP && kcp.nextDeadline(nowMs) == 0; i++) {
            flush(nowMs);
        }
        linkState = kcp.linkState(nowMs);
        if (linkState != LinkState.ALIVE) {
            stop(noticeCode(linkState));
            return;
        }
        int deadlineMs = kcp.nextDeadline(nowMs);
        if (deadlineMs <= 0) {
            invariants.violated("deadline " + deadlineMs + " directly after two flushes");
            deadlineMs = 1;
        }
        if (deadlineMs != Kcp.NO_DEADLINE) {
            // The timer of an event loop counts from now on, and not from the start of the current millisecond.
            requestStep(settings.isThisLibrary() ? network.nowUs() + deadlineMs * 1_000L
                : (network.nowUs() / 1_000 + deadlineMs) * 1_000);
        }
    }

    private void flush(int nowMs) {
        long visitsBefore = visitCounter.applyAsLong(kcp);
        flushes++;
        if (settings.isThisLibrary()) {
            kcp.flush(nowMs, Integer.MAX_VALUE, nowMicros());
        } else {
            kcp.flush(nowMs);
        }
        visitsInFlush += visitCounter.applyAsLong(kcp) - visitsBefore;
    }

    private void processArrived(int nowMs) {
        long visitsBefore = visitCounter.applyAsLong(kcp);
        for (ByteBuf datagram = arrived.poll(); datagram != null; datagram = arrived.poll()) {
            layers.unwrap(datagram, nowMs, input);
            datagram.release();
        }
        visitsInInput += visitCounter.applyAsLong(kcp) - visitsBefore;
    }

    /** Sends no more datagrams, after notifying the peer if it reads close notices. */
    private void stop(int noticeCode) {
        closedAtUs = network.nowUs();
        SimulatedLink outgoing = link;
        boolean mayNotify = kcp.closeNotice().isPeerListening() && (!settings.limited() || kcp.isPeerValidated());
        for (int i = 0; i < NOTICE_COPIES && outgoing != null && mayNotify; i++) {
            ByteBuf notice = output.allocate(SegmentHeader.LENGTH);
            kcp.closeNotice().write(notice, noticeCode);
            layers.wrap(notice, nowMs());
            sending = null;
            outgoing.send(notice);
        }
    }

    /** Returns the code of a link state in a close notice, as kcp-netty sends it. */
    private static int noticeCode(LinkState state) {
        return switch (state) {
            case PEER_TIMEOUT -> 2;
            case TRANSMISSIONS_EXHAUSTED -> 3;
            case PEER_NOT_READING -> 4;
            case PEER_TOO_SLOW -> 13;
            case PROTOCOL_ERROR -> 14;
            case ALIVE -> throw new IllegalArgumentException("state: " + state + " (expected: a state that ends the session)");
        };
    }

    void release() {
        kcp.release();
        layers.release();
        releaseArrived();
    }

    private void releaseArrived() {
        for (ByteBuf datagram = arrived.poll(); datagram != null; datagram = arrived.poll()) {
            datagram.release();
        }
    }

    /** Sends the datagrams of the conversation over the link of this endpoint. */
    private final class LinkOutput implements KcpOutput {

        @Override
        public int overheadBytes() {
            return headBytes() + layers.tailBytes();
        }

        private int headBytes() {
            return settings.overheadBytes() + layers.headBytes();
        }

        @Override
        public int fecDataShards() {
            return layers.fecDataShards();
        }

        @Override
        public @Nullable ShardArrivals shardArrivals() {
            return layers.arrivals();
        }

        @Override
        public boolean limitsAmplification() {
            return settings.limited();
        }

        @Override
        public @Nullable MtuProbeOutput mtuProbes() {
            return layers.isEmpty() ? new LinkProbes() : null;
        }

        @Override
        public ByteBuf allocate(int datagramBytes) {
            ByteBuf datagram = buffers.buffer(overheadBytes() + datagramBytes);
            return datagram.setIndex(headBytes(), headBytes());
        }

        @Override
        public void write(ByteBuf datagram) {
            if (datagram.readerIndex() != headBytes()) {
                invariants.violated("moved the reader index to " + datagram.readerIndex());
            }
            invariants.onOutput(datagram);
            SimulatedLink outgoing = link;
            if (outgoing == null) {
                datagram.release();
                throw new IllegalStateException("Cannot send a datagram, because the endpoint is not connected to a link");
            }
            if (layers.isEmpty()) {
                sending = datagram;
                outgoing.send(datagram);
                return;
            }
            sending = plain.clear().writeBytes(datagram, datagram.readerIndex(), datagram.readableBytes());
            int parity = layers.wrap(datagram, nowMs());
            outgoing.send(datagram);
            sending = null;
            layers.sendParity(parity, kcp.amplificationLimit()::trySpend, outgoing::send);
        }
    }

    /** Sends probes for a larger MTU over the link, which never fragments datagrams. */
    private final class LinkProbes implements MtuProbeOutput {

        private final SplittableRandom random = new SplittableRandom(settings.seed());

        @Override
        public int overheadBytes() {
            return settings.overheadBytes();
        }

        @Override
        public int nextRandom() {
            return random.nextInt();
        }

        @Override
        public Result write(ByteBuf probe) {
            SimulatedLink outgoing = link;
            if (outgoing == null) {
                probe.release();
                return Result.NOT_SENT;
            }
            sending = null;
            outgoing.send(probe);
            return Result.SENT;
        }
    }

    /** Passes the datagrams that the layers have decrypted or recovered to the conversation. */
    private final class LayerInput implements DatagramLayers.Receiver {

        @Override
        public void onDatagram(ByteBuf datagram, int addedBytes) {
            inputs++;
            latestInputUs = network.nowUs();
            if (peer != null && peer.statistics.corruptedDatagrams() > 0) {
                // A corrupted datagram may arrive, because the checksum of some ciphers does not cover the whole nonce.
                peer.statistics.onArrived(datagram);
            }
            pass(datagram, false);
            kcp.amplificationLimit().onReceived(addedBytes);
        }

        @Override
        public void onRecovered(ByteBuf datagram) {
            if (peer != null) {
                peer.statistics.onArrived(datagram);
            }
            pass(datagram, true);
        }

        @Override
        public void onParity(int bytes) {
            kcp.amplificationLimit().onReceived(bytes);
        }

        private void pass(ByteBuf datagram, boolean recovered) {
            // The conversation may change the indices of the datagram.
            ByteBuf segments = datagram.duplicate();
            if (settings.isThisLibrary() && CloseNotice.isNotice(datagram)) {
                closedByPeer |= kcp.closeNotice().read(datagram) != CloseNotice.NOT_CLOSED;
                return;
            }
            if (closedByPeer) {
                return;
            }
            InputResult result = settings.isThisLibrary() ? kcp.input(datagram, recovered, nowMs(), nowMicros())
                : kcp.input(datagram, recovered, nowMs());
            if (result == InputResult.ACCEPTED) {
                invariants.onInput(segments);
            } else if (settings.layers().matching()) {
                invariants.violated("rejected a valid datagram: " + result);
            }
        }
    }
}
