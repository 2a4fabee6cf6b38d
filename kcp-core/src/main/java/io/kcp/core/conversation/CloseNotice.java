package io.kcp.core.conversation;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.SerialNumber;
import io.kcp.core.internal.datagram.AmplificationLimit;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.receive.ReceiveWindow;
import io.kcp.core.internal.send.SendWindow;
import io.netty.buffer.ByteBuf;

/**
 * Notifies the peer that this side has closed the conversation, and recognizes the notice of the peer. Only this library sends and reads
 * close notices; see section 2.13 of {@code wire-format.md}.
 *
 * <p>Each side announces that it reads notices by sending a WASK whose {@code sn} is {@value #SUPPORT_SN} and whose {@code ts} is a random
 * number, the token of the session. The WASK is appended to a datagram that contains other segments. It is sent at most three times, until
 * a WINS echoes its {@code sn} and {@code ts}. Other KCP implementations ignore the two fields.
 *
 * <p>A notice contains the token of its receiver. An attacker who does not see the datagrams of the session must guess the 32 bits of the
 * token. A notice of an earlier session has no effect, because each session has its own token.
 */
public final class CloseNotice {

    /** Result of {@link #read} for a datagram that does not close the conversation. */
    public static final int NOT_CLOSED = -1;
    /** Value of {@code sn} in a WASK which announces that its sender reads close notices. */
    static final int SUPPORT_SN = 0x4B435031;

    private static final int MAX_QUERIES = 3;
    private static final int QUERY_INTERVAL_MS = 1_000;
    /** Maximum number of segments that the peer may have sent beyond those received in order. */
    private static final int MAX_AHEAD = 2 * KcpConfig.MAX_WINDOW_SEGMENTS;

    private final int conv;
    private int token;
    private final SendWindow sendWindow;
    private final ReceiveWindow receiveWindow;
    private boolean enabled;
    private boolean peerVerified;
    private boolean queryAnswered;
    private int queries;
    private int queriedAtMs;
    private boolean echoDue;
    private int echoTs;
    private boolean peerTokenKnown;
    /** {@code true} if the datagram with the token of the peer cannot be forged. */
    private boolean peerTokenVerified;
    private int peerToken;
    private boolean complete;

    CloseNotice(int conv, int timestampBase, SendWindow sendWindow, ReceiveWindow receiveWindow) {
        this.conv = conv;
        this.sendWindow = sendWindow;
        this.receiveWindow = receiveWindow;
        token = mix(timestampBase ^ SUPPORT_SN);
    }

    /** Returns a number that does not reveal the timestamp base. The function is the finalizer of MurmurHash3, a bijection. */
    private static int mix(int seed) {
        int mixed = seed ^ seed >>> 16;
        mixed *= 0x85EBCA6B;
        mixed ^= mixed >>> 13;
        mixed *= 0xC2B2AE35;
        return mixed ^ mixed >>> 16;
    }

    /**
     * Sets whether this side announces, sends and reads close notices. The default is {@code false}.
     *
     * @param enabled {@code true} to use close notices
     */
    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    /**
     * Sets the token of this session. By default, the token depends on the timestamp base of the conversation. This method must be called
     * before the conversation sends anything.
     *
     * @param random a random number
     */
    public void setToken(int random) {
        token = random;
    }

    // ---- announcing support

    /**
     * Permits the first query. To be called when the peer has sent a datagram that is not a replay, and no {@link AmplificationLimit} is
     * active.
     */
    void onPeerVerified() {
        peerVerified = true;
    }

    /** Appends a query to the current datagram of a flush if the query is due and the datagram has room for it. */
    void appendQuery(DatagramWriter writer, int timeMs) {
        if (enabled && peerVerified && !queryAnswered && queries < MAX_QUERIES
            && (queries == 0 || timeMs - queriedAtMs >= QUERY_INTERVAL_MS) && writer.hasRoom(SegmentHeader.LENGTH)) {
            queriedAtMs = timeMs;
            writeQuery(writer, 0, 0);
        }
    }

    /** Writes a WASK, which is also a query if close notices are enabled and otherwise contains the given {@code sn} and {@code ts}. */
    void writeQuery(DatagramWriter writer, int sn, int ts) {
        if (enabled) {
            queries = Math.min(queries + 1, MAX_QUERIES);
            writer.control(SegmentHeader.CMD_WASK, SUPPORT_SN, token);
        } else {
            writer.control(SegmentHeader.CMD_WASK, sn, ts);
        }
    }

    /** Writes a WINS, which echoes the latest query of the peer unless that query has been echoed already. */
    void writeAnswer(DatagramWriter writer, int sn, int ts) {
        boolean echoes = echoDue;
        echoDue = false;
        writer.control(SegmentHeader.CMD_WINS, echoes ? SUPPORT_SN : sn, echoes ? echoTs : ts);
    }

    /**
     * Reads a WASK, which may be a query of the peer.
     *
     * @param verified {@code true} if a preceding segment of the datagram shows that the WASK is not forged
     */
    void onQuery(int sn, int ts, boolean verified) {
        if (enabled && sn == SUPPORT_SN) {
            echoDue = true;
            echoTs = ts;
            // Keeps the first token, because the peer uses one token for the whole session and a later WASK may be forged.
            if (!peerTokenKnown || verified && !peerTokenVerified) {
                peerTokenKnown = true;
                peerTokenVerified = verified;
                peerToken = ts;
            }
        }
    }

    /**
     * Reads a WINS, which may be the response to a query of this side.
     *
     * @return {@code true} if the WINS echoes the token of this session, so that no attacker can have forged its datagram
     */
    boolean onAnswer(int sn, int ts) {
        boolean echoed = sn == SUPPORT_SN && ts == token && queries > 0;
        queryAnswered |= echoed;
        return echoed;
    }

    /**
     * Returns {@code true} if the peer has shown that it is of this library too, because it has echoed the token of this session. A query
     * of the peer does not suffice, because an attacker who does not see the datagrams of the session can forge it.
     */
    boolean isPeerKnown() {
        return queryAnswered;
    }

    // ---- the notice

    /**
     * Returns {@code true} if the peer has announced that it reads close notices. An announcement that an attacker may have forged counts
     * only once the peer has echoed the token of this session, because other KCP implementations must not receive notices.
     *
     * @return {@code true} if a notice can be written
     */
    public boolean isPeerListening() {
        return enabled && peerTokenKnown && (peerTokenVerified || queryAnswered);
    }

    /**
     * Appends a notice, which must be sent alone in a datagram and without FEC.
     *
     * @param out    the buffer, borrowed; must have room for {@value SegmentHeader#LENGTH} bytes
     * @param reason the reason code, 0 to 255; 0 means that the application has closed the session and all its data was acknowledged
     * @throws IllegalStateException if the peer does not read notices
     */
    public void write(ByteBuf out, int reason) {
        if (!isPeerListening()) {
            throw new IllegalStateException("The peer of conv " + Integer.toUnsignedString(conv) + " does not read close notices");
        }
        SegmentHeader.write(out, conv, SegmentHeader.CMD_CLOSE, reason, 0, peerToken, sendWindow.nextSn(), receiveWindow.nextExpected(), 0);
    }

    /**
     * Returns {@code true} if a datagram has the form of a close notice, whether or not it is genuine.
     *
     * @param datagram the datagram, borrowed; only its readable bytes are read
     * @return {@code true} if the datagram consists of the header of one notice
     */
    public static boolean isNotice(ByteBuf datagram) {
        int offset = datagram.readerIndex();
        return datagram.readableBytes() == SegmentHeader.LENGTH && SegmentHeader.cmd(datagram, offset) == SegmentHeader.CMD_CLOSE
            && SegmentHeader.len(datagram, offset) == 0 && SegmentHeader.wnd(datagram, offset) == 0;
    }

    /**
     * Reads a notice of the peer. A genuine notice acknowledges the segments before its {@code una}. The caller then delivers the received
     * messages and closes the conversation.
     *
     * @param notice the datagram, borrowed, for which {@link #isNotice} returns {@code true}
     * @return the reason code, or {@link #NOT_CLOSED} if the notice does not contain the token of this session
     */
    public int read(ByteBuf notice) {
        int offset = notice.readerIndex();
        int una = SegmentHeader.una(notice, offset);
        int ahead = SerialNumber.diff(SegmentHeader.sn(notice, offset), receiveWindow.nextExpected());
        if (!enabled || queries == 0 || SegmentHeader.conv(notice, offset) != conv || SegmentHeader.ts(notice, offset) != token
            || ahead < 0 || ahead > MAX_AHEAD || SerialNumber.isAfter(una, sendWindow.nextSn())) {
            return NOT_CLOSED;
        }
        sendWindow.acknowledgeBefore(una);
        complete = ahead == 0;
        return SegmentHeader.frg(notice, offset);
    }

    /**
     * Returns {@code true} if this side has received all segments that the peer sent before its notice.
     *
     * @return {@code true} if no segment is missing
     */
    public boolean isComplete() {
        return complete;
    }
}
