package io.kcp.core.conversation;

import io.kcp.core.InputResult;
import io.kcp.core.PathProof;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.base.SerialNumber;
import io.kcp.core.internal.datagram.AmplificationLimit;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.loss.TimeoutRounds;
import io.kcp.core.internal.path.PathChallenge;
import io.kcp.core.internal.peer.LivenessProbe;
import io.kcp.core.internal.receive.ReceiveWindow;
import io.kcp.core.internal.send.Sender;
import io.kcp.core.internal.session.DatagramReport;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Detects that the peer of a conversation has moved to another address. The owner of the conversation knows the addresses and uses this
 * object in three steps:
 * <ol>
 * <li>{@link #examine} checks a datagram from an unknown address. Only {@link PathProof#PROOF} shows that the peer has sent it.</li>
 * <li>{@link #challenge} sends a challenge to the new address with the next {@link Kcp#flush(int, int)}. The owner must not send large
 * datagrams to that address before {@link #examineAnswer} returns {@link PathProof#PROOF} for a datagram from that address, because an
 * attacker may have forwarded the first datagram from an address that is not the peer's.</li>
 * <li>{@link #onMoved} retransmits data in flight, which was sent to the old address.</li>
 * </ol>
 * The side whose address may change calls {@link #repeatAcknowledgements}.
 *
 * <p>Like {@link Kcp}, this class is not thread-safe. Datagrams must be authenticated by the cipher, because otherwise an attacker on the
 * path can forge them.
 */
public final class PeerPath {

    private final int timestampBase;
    private final RttEstimator rtt;
    private final DatagramReader reader;
    private final Sender sender;
    private final ReceiveWindow receiveWindow;
    private final LivenessProbe livenessProbe;
    private final AmplificationLimit limit;
    private final PathChallenge challenge;
    private @Nullable NatRebindingProbe repeater;

    PeerPath(int timestampBase, RttEstimator rtt, DatagramReader reader, Sender sender, ReceiveWindow receiveWindow,
        LivenessProbe livenessProbe, AmplificationLimit limit) {
        this.timestampBase = timestampBase;
        this.rtt = rtt;
        this.reader = reader;
        this.sender = sender;
        this.receiveWindow = receiveWindow;
        this.livenessProbe = livenessProbe;
        this.limit = limit;
        challenge = new PathChallenge(timestampBase);
    }

    // ---- the side that follows its peer

    /**
     * Checks whether a datagram from an unknown address was sent by the peer. This method changes no state.
     *
     * <p>A proof acknowledges a segment with a {@code ts} that this side sent with that segment. An attacker cannot guess the {@code ts},
     * because the base of all timestamps is random. To exclude replays, a proof must also contain a new segment, the first acknowledgement
     * of a segment, or an empty duplicate PUSH with a newer {@code ts}.
     *
     * @param datagram the datagram without FEC and cipher headers, <b>borrowed</b>
     * @return {@link PathProof#PROOF} if the peer has sent the datagram
     */
    public PathProof examine(ByteBuf datagram) {
        return examine(datagram, false);
    }

    /**
     * Checks whether a datagram from the challenged address contains the response to the outstanding challenge. This method changes no
     * state.
     *
     * <p>The challenge contains a random number. The owner must limit the wrong answers, because an attacker who knows the key could
     * otherwise guess that number.
     *
     * @param datagram the datagram without FEC and cipher headers, <b>borrowed</b>; it must have arrived from the challenged address
     * @return {@link PathProof#PROOF} if the peer receives datagrams at that address, {@link PathProof#WRONG_ECHO} if the datagram
     *         contains a wrong answer
     */
    public PathProof examineAnswer(ByteBuf datagram) {
        return examine(datagram, true);
    }

    private PathProof examine(ByteBuf datagram, boolean challenged) {
        if (reader.validate(datagram) != InputResult.ACCEPTED) {
            return PathProof.NONE;
        }
        boolean echo = false;
        boolean isNew = challenged;
        int end = datagram.writerIndex();
        for (int offset = datagram.readerIndex(); end - offset >= SegmentHeader.LENGTH;) {
            int cmd = SegmentHeader.cmd(datagram, offset);
            int sn = SegmentHeader.sn(datagram, offset);
            int ts = SegmentHeader.ts(datagram, offset);
            if (cmd == SegmentHeader.CMD_ACK) {
                PathProof evidence = challenged ? examineChallenged(sn, ts) : examineEcho(sn, ts);
                if (evidence == PathProof.WRONG_ECHO) {
                    return evidence;
                }
                echo |= evidence == PathProof.PROOF;
                isNew |= sender.window().find(sn) != null;
            } else if (cmd == SegmentHeader.CMD_PUSH) {
                isNew |= receiveWindow.isNew(sn) || reader.pushes().isNewer(ts);
            }
            isNew |= SerialNumber.isAfter(SegmentHeader.una(datagram, offset), sender.window().oldestUnacked());
            offset += SegmentHeader.LENGTH + (int) SegmentHeader.len(datagram, offset);
        }
        return echo && isNew ? PathProof.PROOF : PathProof.NONE;
    }

    private PathProof examineChallenged(int sn, int ts) {
        // The peer may respond to a probe from its new address that this side has sent to the old one.
        return reader.acks().isMtuProbe(sn, ts) ? PathProof.NONE : challenge.examine(sn, ts);
    }

    private PathProof examineEcho(int sn, int ts) {
        if (livenessProbe.hasSent(sn, ts) || challenge.wasAnsweredBy(sn, ts)) {
            return PathProof.PROOF;
        }
        return sender.window().examineEcho(sn, ts - timestampBase);
    }

    /**
     * Challenges the new address of the peer with the next flush. The owner must send the datagrams of that flush to the new address, and
     * must pass 0 as the number of segments, so that the datagrams contain no data. Nothing is sent while the {@link AmplificationLimit} is
     * active.
     *
     * @param nowMs  the current time in milliseconds
     * @param random a random number that the peer cannot predict
     */
    public void challenge(int nowMs, int random) {
        if (!limit.isActive()) {
            challenge.send(sender.window().oldestUnacked(), nowMs, random);
        }
    }

    /** Cancels the outstanding challenge. The owner calls this method when it no longer considers the new address. */
    public void cancelChallenge() {
        challenge.cancel();
    }

    /**
     * Ends the challenge and retransmits the {@value TimeoutRounds#TIMEOUTS_PER_ROUND} oldest segments in flight with the next flush. Their
     * acknowledgements, or further timeouts, trigger the retransmission of the other segments. After this call, the owner must send to the
     * new address. The owner must limit how often the peer may move.
     *
     * <p>Congestion control and the estimate of the round-trip time start again, because the bandwidth and the round-trip time of the new
     * path may differ (RFC 9000, section 9.4).
     *
     * @param nowMs the current time in milliseconds
     */
    public void onMoved(int nowMs) {
        challenge.end();
        int timeMs = sender.onPathChanged(nowMs);
        rtt.onPathChanged();
        reader.acks().onPathChanged(timeMs);
    }

    // ---- the side whose address may change

    /**
     * Makes this side repeat its latest acknowledgement when no datagrams arrive for 100 ms or one round trip, whichever is longer, at
     * growing intervals, and with each keepalive. A peer that follows address changes can then detect the new address of this side.
     */
    public void repeatAcknowledgements() {
        if (repeater == null) {
            repeater = new NatRebindingProbe(timestampBase, rtt);
        }
    }

    void onDatagram(DatagramReport report, int timeMs) {
        if (repeater != null) {
            repeater.onReport(report, timeMs);
        }
    }

    void onPing(int timeMs) {
        if (repeater != null) {
            repeater.repeatNow(timeMs);
        }
    }

    void afterFlush(int timeMs) {
        if (repeater != null && sender.awaitsPeer()) {
            repeater.onDataSent(timeMs);
        }
    }

    int msUntilDue(int timeMs) {
        if (challenge.isPending()) {
            return 0;
        }
        return repeater == null || limit.isActive() ? ProtocolConstants.NO_DEADLINE : repeater.msUntilDue(timeMs);
    }

    void write(DatagramWriter writer, int timeMs) {
        challenge.write(writer);
        if (repeater != null && !limit.isActive()) {
            repeater.write(writer, sender.window().oldestUnacked(), timeMs);
        }
    }
}
