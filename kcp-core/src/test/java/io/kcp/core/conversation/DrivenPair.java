package io.kcp.core.conversation;

import io.kcp.core.InputResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Two conversations connected by a path of constant delay that loses the datagrams whose numbers a test chooses. Intended for tests of
 * single properties. {@code SimulatedNetwork} of kcp-testkit simulates links with a rate, a queue and random losses.
 */
public final class DrivenPair {

    private record InTransit(int arrivesAtMs, DrivenKcp to, byte[] datagram) {
    }

    private final DrivenKcp one;
    private final DrivenKcp other;
    private final int delayMs;
    private final IntPredicate isLost;
    private final Deque<InTransit> path = new ArrayDeque<>();
    private final List<byte[]> datagrams = new ArrayList<>();
    private final List<byte[]> atOne = new ArrayList<>();
    private final List<byte[]> atOther = new ArrayList<>();

    public DrivenPair(DrivenKcp one, DrivenKcp other, int delayMs, IntPredicate isLost) {
        this.one = one;
        this.other = other;
        this.delayMs = delayMs;
        this.isLost = isLost;
    }

    /** Advances time until neither side has unacknowledged data, and reads messages as soon as they arrive. */
    public void runUntilIdle(int limitMs) {
        for (int i = 0; i <= limitMs; i++) {
            step();
            if (one.kcp.isIdle() && other.kcp.isIdle() && path.isEmpty()) {
                return;
            }
        }
        throw new AssertionError("not idle after " + limitMs + " ms: " + one.kcp.waitingSegments() + " and "
            + other.kcp.waitingSegments() + " segments wait");
    }

    private void step() {
        while (!path.isEmpty() && path.peek().arrivesAtMs() - one.nowMs() <= 0) {
            InTransit arrival = path.poll();
            InputResult result = arrival.to().inputBytes(arrival.datagram());
            if (result != InputResult.ACCEPTED) {
                throw new AssertionError(result + ": " + WireSegment.parse(arrival.datagram()));
            }
        }
        atOne.addAll(one.receiveAll());
        atOther.addAll(other.receiveAll());
        flush(one, other);
        flush(other, one);
        one.advance(1);
        other.advance(1);
    }

    private void flush(DrivenKcp from, DrivenKcp to) {
        if (from.kcp.nextDeadline(from.nowMs()) > 0) {
            return;
        }
        from.kcp.flush(from.nowMs());
        for (byte[] datagram : from.output.take()) {
            if (!isLost.test(datagrams.size())) {
                path.add(new InTransit(from.nowMs() + delayMs, to, datagram));
            }
            datagrams.add(datagram);
        }
    }

    /** Returns all datagrams of both sides in the order of transmission, including lost ones. */
    List<byte[]> datagrams() {
        return datagrams;
    }

    List<byte[]> receivedByOne() {
        return atOne;
    }

    List<byte[]> receivedByOther() {
        return atOther;
    }
}
