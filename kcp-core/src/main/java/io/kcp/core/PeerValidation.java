package io.kcp.core;

/**
 * Validates the address of a peer while an {@link AmplificationLimit} is active, without a deadlock if a short request has a long reply.
 *
 * <p>No segment of the peer is acknowledged before the peer is validated. The peer therefore retransmits its segments, which raises the
 * limit. If a full server evicts the conversation, the retransmissions contain all data from the first segment on, so they can open a new
 * conversation.
 *
 * <p>Data that exceeds the limit is not sent. An empty duplicate PUSH is sent instead, which every KCP implementation acknowledges. Its
 * {@code ts} is random, so the acknowledgement proves that the peer receives datagrams at its address. If no data is waiting, the
 * application may still be preparing its reply. The conversation then responds to the first segment, and to each retransmission of it, with
 * a probe, which has the same size as an acknowledgement. The withheld acknowledgements are sent one round trip later. A peer that has not
 * responded to {@value #MAX_UNANSWERED} such probes is acknowledged without validation.
 */
final class PeerValidation {

    private static final int MAX_UNANSWERED = 8;
    /**
     * Maximum age at which withheld acknowledgements are still sent as ACKs. The peer computes a retransmission timeout of up to six times
     * the age, and an older ACK could raise the timeout above the 200 ms with which every KCP implementation starts.
     */
    private static final int MAX_ACK_AGE_MS = 33;
    private static final int MAX_PROBE_INTERVAL_MS = 5_000;

    private final AmplificationLimit limit;
    private final Sender sender;
    private final RttEstimator rtt;
    private final ReceiveWindow received;
    private final AckQueue acks;
    private final WindowProbe windowProbe;
    /** The acknowledgements that are withheld. */
    private final AckQueue held = new AckQueue();
    private final int firstSn;
    /** Time at which the first of the withheld acknowledgements was withheld. */
    private int heldSinceMs;
    /** Number of probes that were sent instead of an acknowledgement. */
    private int unanswered;
    /** The {@code una} of the latest flush. It never decreases, because peers ignore segments with an older {@code una}. */
    private int sentUna;
    private boolean probeNow;
    private int probeWaitMs;
    private int probeAtMs;

    PeerValidation(AmplificationLimit limit, Sender sender, RttEstimator rtt, ReceiveWindow received, AckQueue acks,
        WindowProbe windowProbe) {
        this.limit = limit;
        this.sender = sender;
        this.rtt = rtt;
        this.received = received;
        this.acks = acks;
        this.windowProbe = windowProbe;
        firstSn = received.nextExpected();
        sentUna = firstSn;
    }

    /**
     * Counts an accepted datagram, and removes the limit if the peer is validated.
     *
     * @return {@code true} if the peer is validated, after which this object is not needed any more
     */
    boolean onDatagram(int bytes, boolean validated, int timeMs) {
        if (validated) {
            limit.lift();
            release(timeMs);
            return true;
        }
        limit.onReceived(bytes);
        return false;
    }

    /**
     * Removes the acknowledgements from the queue if they must be withheld.
     *
     * @return the {@code una} of the flush
     */
    int hold(int timeMs) {
        if (!mayHold()) {
            release(timeMs);
            sentUna = received.nextExpected();
        } else if (!acks.isEmpty()) {
            if (held.isEmpty()) {
                heldSinceMs = timeMs;
            }
            if (sentUna == firstSn && acks.contains(firstSn) && sender.isIdle()) {
                probeNow = true;
                unanswered++;
            }
            move(acks, held);
        }
        return sentUna;
    }

    private boolean mayHold() {
        return limit.mayHold() && (!sender.isIdle() || unanswered < MAX_UNANSWERED);
    }

    boolean owesAcknowledgement() {
        return !held.isEmpty();
    }

    /**
     * Sends the withheld acknowledgements. If they are old, only {@code una} acknowledges the segments that it covers, because an ACK with
     * an old {@code ts} would make the peer measure a round trip that is too long. The {@code una} is sent in a probe while the peer is not
     * validated, and in a WINS afterwards.
     */
    private void release(int timeMs) {
        if (held.isEmpty()) {
            return;
        }
        if (timeMs - heldSinceMs > MAX_ACK_AGE_MS) {
            held.dropCovered(received.nextExpected());
            if (limit.isActive() && limit.mayHold()) {
                probeNow = true;
            } else {
                windowProbe.updateNow();
            }
        }
        move(held, acks);
    }

    private void move(AckQueue from, AckQueue to) {
        int maxEntries = Math.max(received.windowSegments(), RemoteWindow.INITIAL_SEGMENTS);
        while (!from.isEmpty()) {
            to.add(from.firstSn(), from.firstTs(), received.nextExpected(), maxEntries);
            from.removeFirst();
        }
    }

    /** Appends the probe to the outbound datagrams if it replaces an acknowledgement, or if data is blocked and the probe is due. */
    void writeProbe(DatagramWriter writer, int timeMs) {
        boolean due = probeNow || limit.isProbeWanted() && msUntilProbe(timeMs) == 0;
        probeNow = false;
        if (!due || !writer.mayAppend(SegmentHeader.LENGTH)) {
            return;
        }
        LivenessProbe probe = limit.probe();
        probe.begin(sender.window().oldestUnacked(), timeMs);
        writer.control(SegmentHeader.CMD_PUSH, probe.sn(), probe.ts());
        limit.onProbeSent();
        probeWaitMs = probeWaitMs == 0 ? rtt.rtoMs() : Math.min(probeWaitMs + (probeWaitMs >> 1), MAX_PROBE_INTERVAL_MS);
        probeAtMs = timeMs + probeWaitMs;
    }

    private int msUntilProbe(int timeMs) {
        return probeWaitMs == 0 ? 0 : Math.max(0, probeAtMs - timeMs);
    }

    /** Returns the milliseconds until the probe is due, or {@link Kcp#NO_DEADLINE} if none is waiting. */
    int msUntilDue(int timeMs) {
        return limit.isProbeWanted() ? msUntilProbe(timeMs) : Kcp.NO_DEADLINE;
    }
}
