package io.kcp.core.conversation;

import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.LinkState;
import io.kcp.core.internal.congestion.CongestionControl;
import io.kcp.core.internal.datagram.AmplificationLimit;
import io.kcp.core.internal.memory.SegmentPool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * A conversation that a test drives step by step: the test passes inbound segments, reads outbound segments and advances the clock. The
 * time and the timestamp base start at 0, so that {@code ts} equals the time.
 */
public final class DrivenKcp {

    /** A sent segment and the time of its transmission. */
    public record Sent(int atMs, WireSegment segment) {
    }

    private static final int MAX_FLUSHES = 100_000;

    public final Kcp kcp;
    public final CapturedOutput output;
    private final ByteBufAllocator allocator;
    private int nowMs;

    public DrivenKcp(LeakCheck leaks, KcpConfig config) {
        this(leaks, config, 0, 0, 0, 0);
    }

    /** Creates one of several conversations that share a pool. */
    public DrivenKcp(LeakCheck leaks, KcpConfig config, SegmentPool pool) {
        this(leaks, config, pool, 0, 0, 0, 0);
    }

    public DrivenKcp(LeakCheck leaks, KcpConfig config, int nowMs, int timestampBase, int firstSendSn, int firstReceiveSn) {
        this(leaks, config, new SegmentPool(leaks.allocator()), nowMs, timestampBase, firstSendSn, firstReceiveSn);
    }

    private DrivenKcp(LeakCheck leaks, KcpConfig config, SegmentPool pool, int nowMs, int timestampBase, int firstSendSn,
        int firstReceiveSn) {
        this.nowMs = nowMs;
        allocator = leaks.allocator();
        output = new CapturedOutput(allocator, 0);
        kcp = conversation(leaks, config, pool, timestampBase, firstSendSn, firstReceiveSn);
    }

    private DrivenKcp(LeakCheck leaks, KcpConfig config, int timestampBase, int firstSendSn, int overheadBytes) {
        allocator = leaks.allocator();
        output = new CapturedOutput(allocator, overheadBytes).limited();
        kcp = conversation(leaks, config, new SegmentPool(allocator), timestampBase, firstSendSn, 0);
    }

    /** Creates a conversation with an active {@link AmplificationLimit}. */
    public static DrivenKcp limited(LeakCheck leaks, KcpConfig config, int timestampBase, int firstSendSn, int overheadBytes) {
        return new DrivenKcp(leaks, config, timestampBase, firstSendSn, overheadBytes);
    }

    private Kcp conversation(LeakCheck leaks, KcpConfig config, SegmentPool pool, int timestampBase, int firstSendSn,
        int firstReceiveSn) {
        Kcp conversation = new Kcp(WireSegment.CONV, config, output, pool, timestampBase, nowMs, firstSendSn, firstReceiveSn);
        leaks.atEnd(conversation::release);
        return conversation;
    }

    /** Creates a conversation whose segment numbers start at the given values. */
    public static Kcp create(KcpConfig config, KcpOutput output, SegmentPool pool, int firstSendSn, int firstReceiveSn) {
        return new Kcp(WireSegment.CONV, config, output, pool, 0, 0, firstSendSn, firstReceiveSn);
    }

    public CongestionControl congestion() {
        return kcp.congestion();
    }

    /** Makes the conversation announce close notices. */
    public void announceCloseNotices(int token) {
        kcp.closeNotice().setEnabled(true);
        kcp.closeNotice().setToken(token);
        kcp.closeNotice().onPeerVerified();
    }

    public boolean peerReadsCloseNotices() {
        return kcp.closeNotice().isPeerKnown();
    }

    public int nowMs() {
        return nowMs;
    }

    public void advance(int ms) {
        nowMs += ms;
    }

    public InputResult input(WireSegment... segments) {
        return inputBytes(WireSegment.datagram(segments));
    }

    public InputResult inputRecovered(WireSegment... segments) {
        return input(WireSegment.datagram(segments), true);
    }

    public InputResult inputBytes(byte[] datagram) {
        return input(datagram, false);
    }

    private InputResult input(byte[] datagram, boolean recovered) {
        ByteBuf buffer = buffer(datagram);
        try {
            return kcp.input(buffer, recovered, nowMs);
        } finally {
            buffer.release();
        }
    }

    public void send(byte[] message) {
        kcp.send(buffer(message), nowMs);
    }

    /** Sends messages of one byte, which contains the number of the message. */
    public void sendSmall(int count) {
        for (int i = 0; i < count; i++) {
            send(new byte[] {(byte) i});
        }
    }

    /** Flushes regardless of the deadline and returns the segments sent. */
    public List<WireSegment> flush() {
        kcp.flush(nowMs);
        List<WireSegment> segments = new ArrayList<>();
        for (byte[] datagram : output.take()) {
            segments.addAll(WireSegment.parse(datagram));
        }
        return segments;
    }

    /**
     * Flushes at every deadline of a period, as an owner does, and returns the segments sent. Afterwards, the clock is at the end of the
     * period. As an owner does, this method stops when the link state is no longer {@link LinkState#ALIVE}.
     */
    public List<Sent> runUntil(int endMs) {
        List<Sent> sent = new ArrayList<>();
        for (int flushes = 0; flushes < MAX_FLUSHES; flushes++) {
            int wait = kcp.nextDeadline(nowMs);
            LinkState state = kcp.linkState(nowMs);
            if (wait > endMs - nowMs || state == LinkState.PEER_TIMEOUT || state == LinkState.PEER_NOT_READING) {
                nowMs = endMs;
                return sent;
            }
            nowMs += wait;
            for (WireSegment segment : flush()) {
                sent.add(new Sent(nowMs, segment));
            }
        }
        throw new AssertionError("still due after " + MAX_FLUSHES + " flushes, at " + nowMs + " ms");
    }

    public List<Sent> runFor(int ms) {
        return runUntil(nowMs + ms);
    }

    /** Delivers datagrams in both directions until neither side has anything to send at the current time. The clock does not advance. */
    public static void exchange(DrivenKcp one, DrivenKcp other) {
        for (int i = 0; i < MAX_FLUSHES; i++) {
            if (!one.passOnTo(other) & !other.passOnTo(one)) {
                return;
            }
        }
        throw new AssertionError("the two conversations never stop sending");
    }

    private boolean passOnTo(DrivenKcp peer) {
        if (kcp.nextDeadline(nowMs) > 0) {
            return false;
        }
        kcp.flush(nowMs);
        for (byte[] datagram : output.take()) {
            InputResult result = peer.inputBytes(datagram);
            if (result != InputResult.ACCEPTED) {
                throw new AssertionError(result + ": " + WireSegment.parse(datagram));
            }
        }
        return true;
    }

    /** Returns the next message, or null if there is none. */
    byte[] receive() {
        ByteBuf message = kcp.receive();
        if (message == null) {
            return null;
        }
        byte[] bytes = new byte[message.readableBytes()];
        message.readBytes(bytes);
        message.release();
        return bytes;
    }

    public List<byte[]> receiveAll() {
        List<byte[]> messages = new ArrayList<>();
        for (byte[] message = receive(); message != null; message = receive()) {
            messages.add(message);
        }
        return messages;
    }

    public ByteBuf buffer(byte[] bytes) {
        return allocator.buffer(Math.max(1, bytes.length)).writeBytes(bytes);
    }
}
