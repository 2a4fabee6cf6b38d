package io.kcp.testkit;

import io.kcp.core.InputResult;
import io.kcp.core.Kcp;
import io.kcp.core.KcpOutput;
import io.kcp.core.LinkState;
import io.kcp.core.SegmentPool;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
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

    private final SimulatedNetwork network;
    private final CountingAllocator buffers;
    private final EndpointSettings settings;
    private final Kcp kcp;
    private final KcpApplication application;
    private final WireInvariants invariants;
    private final WireStatistics statistics;
    private final ToLongFunction<Kcp> visitCounter;
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

    KcpEndpoint(String name, SimulatedNetwork network, CountingAllocator buffers, EndpointSettings settings, KcpFactory factory,
        ToLongFunction<Kcp> visitCounter) {
        this.network = network;
        this.buffers = buffers;
        this.settings = settings;
        this.visitCounter = visitCounter;
        clockMs = settings.clockMs();
        kcp = factory.create(settings, new LinkOutput(), new SegmentPool(buffers.allocator()));
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
     * Returns the application.
     *
     * @return the application
     */
    public KcpApplication application() {
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
     * Returns the time at which the endpoint stopped because the link state was no longer {@link LinkState#ALIVE}.
     *
     * @return the virtual time in milliseconds, or -1 if the endpoint did not stop
     */
    public long closedAtMs() {
        return closedAtUs < 0 ? -1 : closedAtUs / 1_000;
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
            invariants.violated("deadline " + deadlineMs + " directly after two flushes");
            deadlineMs = 1;
        }
        if (deadlineMs != Kcp.NO_DEADLINE) {
            requestStep((network.nowUs() / 1_000 + deadlineMs) * 1_000);
        }
    }

    private void flush(int nowMs) {
        long visitsBefore = visitCounter.applyAsLong(kcp);
        flushes++;
        kcp.flush(nowMs);
        visitsInFlush += visitCounter.applyAsLong(kcp) - visitsBefore;
    }

    private void processArrived(int nowMs) {
        long visitsBefore = visitCounter.applyAsLong(kcp);
        for (ByteBuf datagram = arrived.poll(); datagram != null; datagram = arrived.poll()) {
            invariants.onInput(datagram);
            inputs++;
            latestInputUs = network.nowUs();
            InputResult result = kcp.input(datagram, false, nowMs);
            if (result != InputResult.ACCEPTED) {
                invariants.violated("rejected a valid datagram: " + result);
            }
            datagram.release();
        }
        visitsInInput += visitCounter.applyAsLong(kcp) - visitsBefore;
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

    /** Sends the datagrams of the conversation over the link of this endpoint. */
    private final class LinkOutput implements KcpOutput {

        @Override
        public int overheadBytes() {
            return settings.overheadBytes();
        }

        @Override
        public boolean limitsAmplification() {
            return settings.limited();
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
                throw new IllegalStateException("Cannot send a datagram, because the endpoint is not connected to a link");
            }
            outgoing.send(datagram);
        }
    }
}
