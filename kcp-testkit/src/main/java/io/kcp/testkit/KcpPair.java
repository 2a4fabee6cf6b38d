package io.kcp.testkit;

import io.kcp.core.KcpStats;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.conversation.Kcp;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Two KCP conversations, A and B, that are connected by simulated links. Time is virtual: a run of several minutes takes milliseconds,
 * and the same seed always gives the same run.
 *
 * <p>A test builds a pair, starts transfers, and calls {@link #assertCompletes} and {@link #close}:
 * <pre>{@code
 * LinkProfile link = LinkProfile.broadband().lossProbability(0.05).build();
 * try (KcpPair pair = KcpPair.builder(1).configs(KcpConfig.fast3()).links(link).build()) {
 *     pair.sendFromA(1_000_000);
 *     long elapsedMs = pair.assertCompletes(60_000);
 * }
 * }</pre>
 *
 * <p>Every run is checked. The applications verify the content, order and boundaries of all messages. The pair verifies that each datagram
 * follows the protocol, that no data is reported as acknowledged before it arrives, that both endpoints become idle after the transfer,
 * and that all buffers are released. Instances are not thread-safe.
 */
public final class KcpPair implements AutoCloseable {

    private static final long SETTLE_MS = 10_000;
    private static final int MAX_SETTLE_PERIODS = 6;
    private static final long IDLE_MS = 600_000;
    private static final InetSocketAddress ADDRESS_OF_A = new InetSocketAddress("10.0.0.1", 5_000);
    private static final InetSocketAddress ADDRESS_OF_B = new InetSocketAddress("10.0.0.2", 9_000);

    private final SimulatedNetwork network = new SimulatedNetwork();
    private final CountingAllocator buffers;
    private final KcpEndpoint a;
    private final KcpEndpoint b;
    private final SimulatedLink linkFromA;
    private final SimulatedLink linkFromB;
    private final WireTrace traceFromA;
    private final WireTrace traceFromB;
    private final SplittableRandom random;
    private final @Nullable SeededRun run;
    private boolean failed;

    KcpPair(KcpPairBuilder builder) {
        random = new SplittableRandom(builder.seed);
        buffers = new CountingAllocator(builder.tracedBuffers);
        EndpointSettings settingsA = builder.settingsOfA();
        EndpointSettings settingsB = builder.settingsOfB();
        a = new KcpEndpoint("A", network, buffers, settingsA, builder.factory, builder.visitCounter);
        b = new KcpEndpoint("B", network, buffers, settingsB, builder.factory, builder.visitCounter);
        linkFromA = network.newLink(builder.linkFromA, random.nextLong(), b::receive);
        linkFromB = network.newLink(builder.linkFromB, random.nextLong(), a::receive);
        Set<Long> livenessProbes = new HashSet<>();
        traceFromA = new WireTrace(settingsA.firstSendSn(), settingsB.firstSendSn(), settingsA.timestampStart(),
            settingsB.timestampStart(), livenessProbes);
        traceFromB = new WireTrace(settingsB.firstSendSn(), settingsA.firstSendSn(), settingsB.timestampStart(),
            settingsA.timestampStart(), livenessProbes);
        a.connect(linkFromA, b, traceFromA);
        b.connect(linkFromB, a, traceFromB);
        run = builder.run;
        PcapFile capture = run == null ? null : run.newCapture();
        if (capture != null) {
            linkFromA.addObserver((datagram, fate, nowUs) -> capture.write(nowUs, ADDRESS_OF_A, ADDRESS_OF_B, datagram, fate));
            linkFromB.addObserver((datagram, fate, nowUs) -> capture.write(nowUs, ADDRESS_OF_B, ADDRESS_OF_A, datagram, fate));
        }
    }

    /**
     * Returns a builder for a pair with default configuration and links without delay or loss.
     *
     * @param seed the seed of all random decisions of the run
     * @return a new builder
     */
    public static KcpPairBuilder builder(long seed) {
        return new KcpPairBuilder(seed);
    }

    /**
     * Returns endpoint A.
     *
     * @return the endpoint
     */
    public KcpEndpoint a() {
        return a;
    }

    /**
     * Returns endpoint B.
     *
     * @return the endpoint
     */
    public KcpEndpoint b() {
        return b;
    }

    /**
     * Returns the simulated network, which tests can use to schedule tasks.
     *
     * @return the network
     */
    public SimulatedNetwork network() {
        return network;
    }

    /**
     * Returns the allocator that allocates the buffers of both endpoints and all datagrams.
     *
     * @return the allocator
     */
    public CountingAllocator buffers() {
        return buffers;
    }

    /**
     * Returns the virtual time.
     *
     * @return the time in milliseconds since the start of the run
     */
    public long nowMs() {
        return network.nowUs() / 1_000;
    }

    /** Returns the link from A to B. */
    SimulatedLink linkFromA() {
        return linkFromA;
    }

    // ---- applications

    /**
     * Starts a transfer of random messages from A to B.
     *
     * @param bytes the total number of bytes
     */
    public void sendFromA(long bytes) {
        sendFromA(TransferPlan.ofBytes(random.nextLong(), bytes));
    }

    /**
     * Starts a transfer from A to B.
     *
     * @param plan the messages
     */
    public void sendFromA(TransferPlan plan) {
        start(a, b, plan, Integer.MAX_VALUE);
    }

    /**
     * Starts a transfer of random messages from B to A.
     *
     * @param bytes the total number of bytes
     */
    public void sendFromB(long bytes) {
        sendFromB(TransferPlan.ofBytes(random.nextLong(), bytes));
    }

    /**
     * Starts a transfer from B to A.
     *
     * @param plan the messages
     */
    public void sendFromB(TransferPlan plan) {
        start(b, a, plan, Integer.MAX_VALUE);
    }

    /**
     * Starts a transfer from A to B by an application that limits the number of unacknowledged segments.
     *
     * @param plan               the messages
     * @param maxWaitingSegments the number of segments, queued and in flight, at which the application pauses
     */
    public void sendFromA(TransferPlan plan, int maxWaitingSegments) {
        start(a, b, plan, maxWaitingSegments);
    }

    /**
     * Starts a transfer from A to B by an application that writes one message per interval. The application of B measures the time from
     * the write of each message until it is read ({@link SimulatedApplication#deliveryTimesUs()}).
     *
     * @param plan       the messages
     * @param intervalMs the interval in milliseconds, at least 1
     * @throws IllegalStateException if endpoint A is not in message mode
     */
    public void sendPeriodicallyFromA(TransferPlan plan, int intervalMs) {
        if (a.kcp().config().mode() != KcpTransferMode.MESSAGE) {
            throw new IllegalStateException("mode: " + a.kcp().config().mode() + " (expected: " + KcpTransferMode.MESSAGE + ')');
        }
        b.application().expect(plan, true);
        long startUs = network.nowUs();
        b.application().measureDelivery(startUs, intervalMs * 1_000L);
        a.application().write(plan, Integer.MAX_VALUE, intervalMs * 1_000L);
    }

    private static void start(KcpEndpoint from, KcpEndpoint to, TransferPlan plan, int maxWaitingSegments) {
        to.application().expect(plan, from.kcp().config().mode() == KcpTransferMode.MESSAGE);
        from.application().write(plan, maxWaitingSegments);
    }

    // ---- time

    /**
     * Runs until a condition is met or the time limit is reached.
     *
     * @param condition the condition
     * @param limitMs   the maximum duration in milliseconds of virtual time
     * @return {@code true} if the condition is met
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
     * Runs for some time.
     *
     * @param durationMs the duration in milliseconds of virtual time
     */
    public void runForMs(long durationMs) {
        runUntil(() -> false, durationMs);
    }

    private void assertNothingAcknowledgedEarly(KcpEndpoint side) {
        long acknowledged = side.application().writtenBytes() - side.kcp().unacknowledgedBytes();
        if (acknowledged > side.sent().arrivedPayloadBytes()) {
            throw failure(acknowledged + " bytes acknowledged, but only " + side.sent().arrivedPayloadBytes() + " arrived");
        }
    }

    // ---- checks

    /**
     * Returns {@code true} if all messages were written, read and acknowledged.
     *
     * @return {@code true} if both transfers are complete
     */
    public boolean isComplete() {
        return a.application().isDone() && b.application().isDone();
    }

    /**
     * Runs until all messages are written, read and acknowledged, and then performs all checks. Fails if the transfers take longer than the
     * time limit.
     *
     * @param limitMs the maximum duration in milliseconds of virtual time
     * @return the duration of the transfers in milliseconds of virtual time
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

    /** Checks all messages that have been read and all datagrams that have been sent so far. */
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

    /**
     * Delivers all datagrams in flight, and then checks that both endpoints have no deadline and send no more datagrams. Both must be idle
     * after ten seconds. They have another ten seconds only if a datagram was lost in this time, for example a probe that asks for the
     * {@code una} of the last segments. Both must be idle after a minute.
     */
    public void assertQuiescent() {
        long lost;
        int periods = 0;
        do {
            lost = lostDatagrams();
            runForMs(SETTLE_MS);
            periods++;
        } while (hasDeadline() && lostDatagrams() > lost && periods < MAX_SETTLE_PERIODS);
        long datagrams = a.sent().datagrams() + b.sent().datagrams();
        if (hasDeadline()) {
            throw failure("idle endpoints have deadlines: " + a.kcp().nextDeadline(a.nowMs()) + ", " + b.kcp().nextDeadline(b.nowMs()));
        }
        runForMs(IDLE_MS);
        long later = a.sent().datagrams() + b.sent().datagrams();
        if (later != datagrams) {
            throw failure("idle endpoints sent " + (later - datagrams) + " datagrams");
        }
        assertIntact();
    }

    private boolean hasDeadline() {
        return a.kcp().nextDeadline(a.nowMs()) != Kcp.NO_DEADLINE || b.kcp().nextDeadline(b.nowMs()) != Kcp.NO_DEADLINE;
    }

    private long lostDatagrams() {
        return a.sent().datagrams() - a.sent().arrivedDatagrams() + b.sent().datagrams() - b.sent().arrivedDatagrams();
    }

    /**
     * Returns a hash of the content, time and fate of all datagrams that have been sent.
     *
     * @return the hash
     */
    public long traceHash() {
        return network.traceHash();
    }

    /**
     * Returns a hash of all segments that have been sent, in which sequence numbers and timestamps are relative to their initial values.
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

    /** Ends the run. Fails if a buffer was not released, unless the run has failed before. */
    @Override
    public void close() {
        if (run != null) {
            run.addTrace(traceHash());
        }
        a.release();
        b.release();
        network.release();
        if (!failed && buffers.outstandingBytes() != 0) {
            throw failure(buffers.outstandingBytes() + " bytes of buffers were not released");
        }
    }
}
