package io.kcp.core;

import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Two conversations, A and B, over two simulated links, with applications that check every byte they read. What is the
 * same in every run is checked here: content, order and boundaries, the rules of the wire, that nothing is reported as
 * acknowledged before it arrived, that a finished pair falls silent, and that no buffer is left in the end.
 *
 * <p>One run: build it, start transfers, {@link #assertCompletes}, {@link #close}.
 */
public final class KcpPair implements AutoCloseable {

    private static final long SETTLE_MS = 10_000;
    private static final long QUIET_MS = 600_000;

    private final SimulatedNetwork network = new SimulatedNetwork();
    private final CountingAllocator buffers;
    private final KcpEndpoint a;
    private final KcpEndpoint b;
    private final SimulatedLink linkFromA;
    private final SimulatedLink linkFromB;
    private final WireTrace traceFromA;
    private final WireTrace traceFromB;
    private final SplittableRandom random;
    private boolean failed;

    KcpPair(KcpPairBuilder builder) {
        random = new SplittableRandom(builder.seed);
        buffers = new CountingAllocator(builder.tracedBuffers);
        EndpointSettings settingsA = builder.settingsOfA();
        EndpointSettings settingsB = builder.settingsOfB();
        a = new KcpEndpoint("A", network, buffers, settingsA);
        b = new KcpEndpoint("B", network, buffers, settingsB);
        linkFromA = network.newLink(builder.linkFromA, random.nextLong(), b::receive);
        linkFromB = network.newLink(builder.linkFromB, random.nextLong(), a::receive);
        traceFromA = new WireTrace(settingsA.firstSendSn(), settingsB.firstSendSn(), settingsA.timestampStart(),
            settingsB.timestampStart());
        traceFromB = new WireTrace(settingsB.firstSendSn(), settingsA.firstSendSn(), settingsB.timestampStart(),
            settingsA.timestampStart());
        linkFromA.addObserver(traceFromA);
        linkFromB.addObserver(traceFromB);
        a.connect(linkFromA);
        b.connect(linkFromB);
    }

    /**
     * Starts from two conversations with default settings over links that deliver at once.
     *
     * @param seed seed of everything random in the run
     * @return a new builder
     */
    public static KcpPairBuilder builder(long seed) {
        return new KcpPairBuilder(seed);
    }

    /**
     * Returns side A.
     *
     * @return the side
     */
    public KcpEndpoint a() {
        return a;
    }

    /**
     * Returns side B.
     *
     * @return the side
     */
    public KcpEndpoint b() {
        return b;
    }

    /**
     * Returns the network, to schedule things in it.
     *
     * @return the network
     */
    public SimulatedNetwork network() {
        return network;
    }

    /**
     * Returns the buffers of both sides and all datagrams.
     *
     * @return the allocator
     */
    public CountingAllocator buffers() {
        return buffers;
    }

    /**
     * Returns the virtual time.
     *
     * @return milliseconds
     */
    public long nowMs() {
        return network.nowUs() / 1_000;
    }

    // ---- applications

    /**
     * Lets A send random bytes to B in random writes.
     *
     * @param bytes how many
     */
    public void sendFromA(long bytes) {
        sendFromA(TransferPlan.ofBytes(random.nextLong(), bytes));
    }

    /**
     * Lets A send to B.
     *
     * @param plan what
     */
    public void sendFromA(TransferPlan plan) {
        start(a, b, plan, Integer.MAX_VALUE);
    }

    /**
     * Lets B send random bytes to A in random writes.
     *
     * @param bytes how many
     */
    public void sendFromB(long bytes) {
        sendFromB(TransferPlan.ofBytes(random.nextLong(), bytes));
    }

    /**
     * Lets B send to A.
     *
     * @param plan what
     */
    public void sendFromB(TransferPlan plan) {
        start(b, a, plan, Integer.MAX_VALUE);
    }

    /**
     * Lets A send to B with an application that holds itself back.
     *
     * @param plan               what
     * @param maxWaitingSegments no write at this many segments queued or in flight
     */
    public void sendFromA(TransferPlan plan, int maxWaitingSegments) {
        start(a, b, plan, maxWaitingSegments);
    }

    private static void start(KcpEndpoint from, KcpEndpoint to, TransferPlan plan, int maxWaitingSegments) {
        to.application().expect(plan, from.kcp().config().mode() == KcpMode.MESSAGE);
        from.application().write(plan, maxWaitingSegments);
    }

    // ---- time

    /**
     * Runs until something is the case.
     *
     * @param condition what
     * @param limitMs   how much longer, at most, in milliseconds of virtual time
     * @return whether it came to be
     */
    public boolean runUntil(BooleanSupplier condition, long limitMs) {
        long limitUs = network.nowUs() + limitMs * 1_000;
        while (!condition.getAsBoolean()) {
            if (!network.runNext(limitUs)) {
                return condition.getAsBoolean();
            }
            assertNothingAcknowledgedEarly(a);
            assertNothingAcknowledgedEarly(b);
        }
        return true;
    }

    /**
     * Runs for a time.
     *
     * @param durationMs milliseconds of virtual time
     */
    public void runForMs(long durationMs) {
        runUntil(() -> false, durationMs);
    }

    private void assertNothingAcknowledgedEarly(KcpEndpoint side) {
        long acknowledged = side.application().writtenBytes() - side.kcp().unacknowledgedBytes();
        if (acknowledged > side.sent().arrivedPayloadBytes()) {
            throw failure(acknowledged + " bytes acknowledged, " + side.sent().arrivedPayloadBytes() + " arrived");
        }
    }

    // ---- verdicts

    /**
     * Tells whether everything was written, read and acknowledged.
     *
     * @return whether
     */
    public boolean isComplete() {
        return a.application().isDone() && b.application().isDone();
    }

    /**
     * Runs until everything was written, read and acknowledged, then checks all that must hold in every run.
     *
     * @param limitMs how long it may take, in milliseconds of virtual time
     * @return how long it took, in milliseconds
     */
    public long assertCompletes(long limitMs) {
        long startUs = network.nowUs();
        boolean complete = runUntil(() -> isComplete() || a.closedAtMs() >= 0 || b.closedAtMs() >= 0, limitMs);
        long elapsedMs = (network.nowUs() - startUs) / 1_000;
        assertIntact();
        if (!complete || !isComplete()) {
            throw failure("not complete after " + elapsedMs + " ms");
        }
        assertQuiescent();
        return elapsedMs;
    }

    /** Checks what was read so far, and that every datagram so far kept the rules. */
    public void assertIntact() {
        for (KcpEndpoint side : new KcpEndpoint[] {a, b}) {
            String readFailure = side.application().failure();
            if (readFailure != null) {
                throw failure(readFailure);
            }
            if (!side.invariants().violations().isEmpty()) {
                throw failure(side.invariants().violations().toString());
            }
        }
    }

    /** Lets what is still under way arrive, then expects both sides to wait for nothing and to send nothing more. */
    public void assertQuiescent() {
        runForMs(SETTLE_MS);
        long datagrams = a.sent().datagrams() + b.sent().datagrams();
        int deadlineOfA = a.kcp().nextDeadline(a.nowMs());
        int deadlineOfB = b.kcp().nextDeadline(b.nowMs());
        if (deadlineOfA != Kcp.NO_DEADLINE || deadlineOfB != Kcp.NO_DEADLINE) {
            throw failure("deadlines of idle sides: " + deadlineOfA + ", " + deadlineOfB);
        }
        runForMs(QUIET_MS);
        long later = a.sent().datagrams() + b.sent().datagrams();
        if (later != datagrams) {
            throw failure((later - datagrams) + " datagrams from idle sides");
        }
        assertIntact();
    }

    /**
     * Returns a number that stands for every datagram with its bytes, time and fate.
     *
     * @return the hash
     */
    public long traceHash() {
        return network.traceHash();
    }

    /**
     * Returns a number that stands for the same, seen relative to where numbers and timestamps started.
     *
     * @return the hash
     */
    public long relativeTraceHash() {
        return traceFromA.value() * 31 + traceFromB.value();
    }

    private AssertionError failure(String what) {
        failed = true;
        return new AssertionError(what + "\n  at " + nowMs() + " ms\n  A: " + state(a) + "\n  B: " + state(b));
    }

    private static String state(KcpEndpoint side) {
        KcpStats stats = side.kcp().stats();
        return side.linkState() + ", wrote " + side.application().writtenBytes() + ", read "
            + side.application().readBytes() + ", waiting segments " + side.kcp().waitingSegments() + ", remote window "
            + side.kcp().remoteWindow() + ", rto " + side.kcp().rtoMs()
            + ", next deadline " + side.kcp().nextDeadline(side.nowMs()) + ", datagrams in/out " + stats.datagramsIn() + '/'
            + stats.datagramsOut() + ", fast/early/timeout retransmissions " + stats.fastRetransmissions() + '/'
            + stats.earlyRetransmissions() + '/' + stats.timeoutRetransmissions();
    }

    /** Ends the run and fails if a buffer is left, unless the run failed already. */
    @Override
    public void close() {
        a.release();
        b.release();
        network.release();
        if (!failed && buffers.outstandingBytes() != 0) {
            throw failure(buffers.outstandingBytes() + " bytes of buffers were not released");
        }
    }
}
