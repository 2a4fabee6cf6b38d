package io.kcp.core.internal.datagram;

import io.kcp.core.KcpOutput;
import io.kcp.core.internal.peer.LivenessProbe;

/**
 * Limits the bytes that a conversation sends to three times the bytes that it has received, until the peer has proved that it receives
 * datagrams at its address ({@code Kcp.isPeerValidated}). Without this limit, an attacker could send one small datagram from the forged
 * address of a victim and make the conversation send a large reply to the victim. RFC 9000, section 8, defines the same limit for QUIC.
 *
 * <p>The limit counts all bytes of a UDP payload in both directions, including cipher and FEC headers, acknowledgements, probes, parity and
 * retransmissions. {@code Kcp.input} counts the datagrams that it accepts, and {@link KcpOutput#write} is called only for datagrams that
 * the limit covers. The layers below report everything else that they receive or send.
 *
 * <p>Not thread-safe, like its conversation.
 */
public final class AmplificationLimit {

    /** A limit that permits everything. All unlimited conversations share this object, because no method changes its state. */
    static final AmplificationLimit NONE = new AmplificationLimit(false, 0);

    /** Maximum ratio of sent bytes to received bytes. */
    private static final int FACTOR = 3;
    /**
     * Divisor of the remaining bytes that gives the maximum cost of one datagram with payload. The rest is reserved for retransmissions and
     * validation probes. A reply that is no larger than the request is therefore sent even after one probe.
     */
    private static final int RESERVE = 2;

    private LivenessProbe probe;
    private boolean echoed;
    private boolean active;
    private long remainingBytes;
    private boolean blocked;
    private boolean starved;
    private boolean probeRequested;
    private int probeTransmissions;
    private boolean holdingEnded;

    private AmplificationLimit(boolean active, int timestampBase) {
        this.active = active;
        probe = new LivenessProbe(timestampBase);
    }

    public static AmplificationLimit of(KcpOutput output, int timestampBase) {
        return output.limitsAmplification() ? new AmplificationLimit(true, timestampBase) : NONE;
    }

    /**
     * Returns {@code true} while the conversation is limited, that is, until the peer is validated.
     *
     * @return {@code true} if sent bytes are limited
     */
    public boolean isActive() {
        return active;
    }

    /**
     * Counts bytes that a layer below the conversation has received from the peer, in addition to the datagrams passed to
     * {@code Kcp.input}. Examples are cipher headers, parity and out-of-band messages.
     *
     * @param bytes number of bytes, at least 0
     */
    public void onReceived(int bytes) {
        if (active) {
            remainingBytes += (long) FACTOR * bytes;
            blocked = false;
            starved = false;
        }
    }

    /**
     * Decides whether a layer below the conversation may send a datagram of its own, such as parity or an out-of-band message, and counts
     * the bytes of the datagram if it may.
     *
     * @param bytes size of the UDP payload
     * @return {@code true} if the datagram may be sent
     */
    public boolean trySpend(int bytes) {
        if (!active) {
            return true;
        }
        boolean covered = coversData(bytes);
        if (covered) {
            remainingBytes -= bytes;
        }
        return covered;
    }

    /**
     * Requests a probe that validates the peer, after {@link #trySpend} has returned {@code false}. The next flush sends the probe. The
     * method does nothing if the peer is validated.
     */
    public void requestValidation() {
        probeRequested |= active;
    }

    /**
     * Makes the next flush acknowledge all received segments. Must be called before the final flush of a closing session, because an
     * unvalidated conversation that has data to send otherwise does not acknowledge the newest segment.
     */
    public void acknowledgeAll() {
        holdingEnded |= active;
    }

    /** Returns {@code true} if a segment with payload could not be sent since bytes were received most recently. */
    public boolean isBlocked() {
        return blocked;
    }

    /** Returns {@code true} if not even a control segment could be sent since bytes were received most recently. */
    public boolean isStarved() {
        return starved;
    }

    public boolean isProbeWanted() {
        return blocked || probeRequested;
    }

    public boolean mayHold() {
        return !holdingEnded;
    }

    /** Returns the probe that validates the peer. It is outstanding from its first transmission until the peer has echoed it. */
    public LivenessProbe probe() {
        return probe;
    }

    /** Returns {@code true} if the peer has ever echoed the probe. */
    public boolean wasEchoed() {
        return echoed || probe.wasEchoed();
    }

    public void onProbeSent() {
        probeTransmissions++;
    }

    /** Returns {@code true} if the probe was sent only once, so that its echo is a valid round-trip sample. */
    public boolean isProbeTimed() {
        return probeTransmissions == 1;
    }

    public boolean isAnsweredBy(int ackedSn, int ackedTs) {
        return active && probe.isAnsweredBy(ackedSn, ackedTs);
    }

    /**
     * Returns {@code true} if control segments of this cost may be sent, and otherwise records that not even control segments could be
     * sent.
     */
    boolean affordsControl(long costBytes) {
        boolean affords = costBytes <= remainingBytes;
        starved |= !affords;
        return affords;
    }

    /**
     * Returns {@code true} if a segment with payload may be sent, and otherwise records that data is blocked.
     *
     * @param pendingBytes cost of the datagram that is being filled
     * @param costBytes    cost of a datagram that contains only the segment
     */
    boolean affordsData(long pendingBytes, long costBytes) {
        blocked |= (remainingBytes - pendingBytes) / RESERVE < costBytes;
        return !blocked;
    }

    private boolean coversData(long costBytes) {
        return remainingBytes / RESERVE >= costBytes;
    }

    void spend(int bytes) {
        remainingBytes -= bytes;
    }

    /** Removes the limit after the peer has been validated. */
    public void lift() {
        active = false;
        blocked = false;
        starved = false;
        probeRequested = false;
        // Frees the probe, which only a limited conversation sends.
        echoed |= probe.wasEchoed();
        probe = NONE.probe;
    }
}
