package io.kcp.core;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One side of a {@link KcpPair}: a conversation with the driver that its owner must be, and an application on top.
 *
 * <p>The driver acts once per instant, on everything that arrived in it: input, read, write, flush if that is due, look
 * at the link state, and set the alarm to the next deadline. It can be frozen (a long pause of the virtual machine), its
 * clock can jump.
 */
public final class KcpEndpoint implements KcpOutput {

    private static final long NEVER = Long.MAX_VALUE;
    /** One does, but kcp-go's congestion control opens its window only at the end of the first. */
    private static final int MAX_FLUSHES_PER_STEP = 2;

    private final SimulatedNetwork network;
    private final CountingAllocator buffers;
    private final EndpointSettings settings;
    private final Kcp kcp;
    private final KcpApplication application;
    private final WireInvariants invariants;
    private final WireStatistics statistics;
    private final ArrayDeque<ByteBuf> arrived = new ArrayDeque<>();
    private @Nullable SimulatedLink link;
    private int clockMs;
    private boolean stepScheduled;
    private long alarmUs = NEVER;
    private long frozenUntilUs;
    private LinkState linkState = LinkState.ALIVE;
    private long closedAtUs = -1;
    private long flushes;
    private long inputs;
    private long latestInputUs = -1;
    private long visitsInInput;
    private long visitsInFlush;

    KcpEndpoint(String name, SimulatedNetwork network, CountingAllocator buffers, EndpointSettings settings) {
        this.network = network;
        this.buffers = buffers;
        this.settings = settings;
        clockMs = settings.clockMs();
        kcp = new Kcp(settings.conv(), settings.config(), this, new SegmentPool(buffers.allocator()), settings.timestampBase(),
            clockMs, settings.firstSendSn(), settings.firstReceiveSn());
        application = new KcpApplication(network, buffers, kcp, () -> requestStep(network.nowUs()));
        invariants = new WireInvariants(name, settings.conv(), settings.config(), settings.overheadBytes(),
            settings.firstSendSn(), settings.firstReceiveSn());
        statistics = new WireStatistics(settings.firstSendSn(), kcp::rtoMs);
    }

    void connect(SimulatedLink outgoing) {
        link = outgoing;
        outgoing.addObserver(statistics);
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
     * Returns the application on top.
     *
     * @return the application
     */
    public KcpApplication application() {
        return application;
    }

    /**
     * Returns the account of what this side sent.
     *
     * @return the account
     */
    public WireStatistics sent() {
        return statistics;
    }

    WireInvariants invariants() {
        return invariants;
    }

    // ---- mishaps

    /**
     * Lets the clock jump.
     *
     * @param byMs milliseconds, negative for back
     */
    public void jumpClock(int byMs) {
        clockMs += byMs;
    }

    /**
     * Stops the process for a while: what arrives waits in the socket.
     *
     * @param durationMs milliseconds
     */
    public void freeze(long durationMs) {
        frozenUntilUs = network.nowUs() + durationMs * 1_000;
        requestStep(frozenUntilUs);
    }

    // ---- what happened

    /**
     * Returns why the driver gave up.
     *
     * @return the state, {@link LinkState#ALIVE} if it did not
     */
    public LinkState linkState() {
        return linkState;
    }

    /**
     * Returns when the driver gave up.
     *
     * @return milliseconds of virtual time, -1 if it did not
     */
    public long closedAtMs() {
        return closedAtUs < 0 ? -1 : closedAtUs / 1_000;
    }

    /**
     * Returns how often the conversation was flushed.
     *
     * @return flushes
     */
    public long flushes() {
        return flushes;
    }

    /**
     * Returns how many datagrams the conversation was given.
     *
     * @return datagrams
     */
    public long inputs() {
        return inputs;
    }

    /**
     * Returns when the conversation was given the latest of them.
     *
     * @return milliseconds of virtual time, -1 if there was none
     */
    public long latestInputMs() {
        return latestInputUs < 0 ? -1 : latestInputUs / 1_000;
    }

    /** Segments that the conversation looked at while it took datagrams in. */
    long visitsInInput() {
        return visitsInInput;
    }

    /** Segments that the conversation looked at while it was flushed. */
    long visitsInFlush() {
        return visitsInFlush;
    }

    int nowMs() {
        return (int) (network.nowUs() / 1_000) + clockMs;
    }

    // ---- the driver

    void receive(ByteBuf datagram) {
        arrived.add(datagram);
        requestStep(Math.max(network.nowUs(), frozenUntilUs));
    }

    /** Looks after the conversation now, as the end of a read batch or an alarm would. */
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
        // One that was superseded by an earlier one has nothing to do.
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
        takeIn(nowMs);
        application.step(nowMs);
        for (int i = 0; i < MAX_FLUSHES_PER_STEP && kcp.nextDeadline(nowMs) == 0; i++) {
            flush(nowMs);
        }
        linkState = kcp.linkState(nowMs);
        if (linkState != LinkState.ALIVE) {
            closedAtUs = network.nowUs();
            return;
        }
        int deadlineMs = kcp.nextDeadline(nowMs);
        if (deadlineMs <= 0) {
            invariants.violated("deadline " + deadlineMs + " right after flushing twice");
            deadlineMs = 1;
        }
        if (deadlineMs != Kcp.NO_DEADLINE) {
            requestStep((network.nowUs() / 1_000 + deadlineMs) * 1_000);
        }
    }

    private void flush(int nowMs) {
        long visitsBefore = kcp.segmentsVisited();
        flushes++;
        kcp.flush(nowMs);
        visitsInFlush += kcp.segmentsVisited() - visitsBefore;
    }

    private void takeIn(int nowMs) {
        long visitsBefore = kcp.segmentsVisited();
        for (ByteBuf datagram = arrived.poll(); datagram != null; datagram = arrived.poll()) {
            invariants.onInput(datagram);
            inputs++;
            latestInputUs = network.nowUs();
            InputResult result = kcp.input(datagram, false, nowMs);
            if (result != InputResult.ACCEPTED) {
                invariants.violated("took in an honest datagram as " + result);
            }
            datagram.release();
        }
        visitsInInput += kcp.segmentsVisited() - visitsBefore;
    }

    void release() {
        kcp.release();
        releaseArrived();
    }

    private void releaseArrived() {
        for (ByteBuf datagram = arrived.poll(); datagram != null; datagram = arrived.poll()) {
            datagram.release();
        }
    }

    // ---- KcpOutput

    @Override
    public int overheadBytes() {
        // Asked by the constructor of Kcp already.
        return settings.overheadBytes();
    }

    @Override
    public ByteBuf allocate(int datagramBytes) {
        int headBytes = settings.overheadBytes();
        ByteBuf datagram = buffers.buffer(headBytes + datagramBytes);
        return datagram.setIndex(headBytes, headBytes);
    }

    @Override
    public void write(ByteBuf datagram) {
        if (datagram.readerIndex() != settings.overheadBytes()) {
            invariants.violated("moved the reader index to " + datagram.readerIndex());
        }
        invariants.onOutput(datagram);
        SimulatedLink outgoing = link;
        if (outgoing == null) {
            datagram.release();
            throw new IllegalStateException("not connected");
        }
        outgoing.send(datagram);
    }
}
