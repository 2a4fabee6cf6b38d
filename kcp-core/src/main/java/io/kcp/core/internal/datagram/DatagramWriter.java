package io.kcp.core.internal.datagram;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.SegmentHeader;
import io.kcp.core.ShardArrivals;
import io.kcp.core.internal.memory.Segment;
import io.kcp.core.internal.memory.SegmentList;
import io.kcp.core.internal.session.KcpCounters;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Packs the segments of one flush into datagrams. All segments contain the {@code wnd} and {@code una} of the start of the flush. */
public final class DatagramWriter {

    private final KcpOutput output;
    private final KcpCounters counters;
    private final AmplificationLimit limit;
    private final int conv;
    private final MtuBlackHoleDetector blackHole;
    private @Nullable ShardArrivals arrivals;
    private int mtuBytes;
    private int wnd;
    private int una;
    private int announcedWindow = -1;
    private @Nullable ByteBuf datagram;
    /** Order of the first data segment in the current datagram, or {@link Long#MAX_VALUE} if there is none. */
    private long firstOrder = Long.MAX_VALUE;

    public DatagramWriter(int conv, KcpOutput output, KcpCounters counters, AmplificationLimit limit, MtuBlackHoleDetector blackHole) {
        this.conv = conv;
        this.blackHole = blackHole;
        this.output = output;
        this.counters = counters;
        this.limit = limit;
    }

    public MtuBlackHoleDetector blackHole() {
        return blackHole;
    }

    /** Returns the object that observes which datagrams arrive, or null, and uses this object from now on. */
    public @Nullable ShardArrivals refreshArrivals() {
        arrivals = output.shardArrivals();
        return arrivals;
    }

    public void begin(int mtuBytes, int wnd, int una) {
        this.mtuBytes = mtuBytes;
        this.wnd = Math.min(wnd, KcpConfig.MAX_WINDOW_SEGMENTS);
        this.una = una;
    }

    /** Returns the receive window announced in the latest datagram, or -1 if no datagram was sent. */
    public int announcedWindow() {
        return announcedWindow;
    }

    /** Returns the {@code una} of the latest flush. */
    public int una() {
        return una;
    }

    /** Returns {@code true} if the {@link AmplificationLimit} allows control segments of this size. */
    public boolean mayAppend(int bytes) {
        if (!limit.isActive()) {
            return true;
        }
        ByteBuf out = datagram;
        boolean fits = out != null && out.readableBytes() + bytes <= mtuBytes;
        return limit.affordsControl((long) pendingBytes() + bytes + (fits ? 0 : output.overheadBytes()));
    }

    /** Returns {@code true} if the {@link AmplificationLimit} allows a segment with this payload. */
    public boolean mayPush(int payloadBytes) {
        return !limit.isActive()
            || limit.affordsData(pendingBytes(), (long) payloadBytes + SegmentHeader.LENGTH + output.overheadBytes());
    }

    private int pendingBytes() {
        ByteBuf out = datagram;
        return out == null ? 0 : out.readableBytes() + output.overheadBytes();
    }

    public void control(int cmd, int sn, int ts) {
        control(cmd, 0, sn, ts);
    }

    /** Appends an ACK that was sent before. */
    void repeatedAck(int sn, int ts) {
        control(SegmentHeader.CMD_ACK, AckRepetition.REPEATED, sn, ts);
    }

    private void control(int cmd, int frg, int sn, int ts) {
        SegmentHeader.write(room(SegmentHeader.LENGTH), conv, cmd, frg, wnd, ts, sn, una, 0);
        counters.segmentsOut++;
    }

    /**
     * Appends a PUSH segment. If the current datagram is full, it is written first. Nothing is appended if the segment is acknowledged
     * during that write.
     */
    public void push(Segment segment, int ts) {
        if (makeRoom(segment)) {
            append(segment, ts);
        }
    }

    /**
     * Writes the current datagram unless it has room for a segment.
     *
     * @return {@code false} if the segment was acknowledged during that write
     */
    public boolean makeRoom(Segment segment) {
        SegmentList inFlight = segment.list;
        endUnlessFits(SegmentHeader.LENGTH + segment.payloadBytes);
        return segment.list == inFlight;
    }

    /**
     * Returns the number of bytes that copies may occupy in the current datagram. Copies never make a datagram so large that a path with a
     * small MTU might lose it, and they leave room for one control segment.
     *
     * @param reservedBytes the size of the segment that follows the copies
     */
    public int roomForCopies(int reservedBytes) {
        if (!mayCopy()) {
            return 0;
        }
        int maxBytes = Math.min(mtuBytes, KcpConfig.FALLBACK_MTU_BYTES - output.overheadBytes());
        ByteBuf out = datagram;
        return maxBytes - (out == null ? 0 : out.readableBytes()) - SegmentHeader.LENGTH - reservedBytes;
    }

    /** Returns {@code true} unless the {@link AmplificationLimit} is active. */
    public boolean mayCopy() {
        return !limit.isActive();
    }

    /** Returns the order of the first data segment in the current datagram, or {@link Long#MAX_VALUE} if it contains none. */
    public long firstOrder() {
        return firstOrder;
    }

    /** Appends a PUSH segment to the current datagram, which must have room for it. */
    public void append(Segment segment, int ts) {
        write(segment, ts);
        firstOrder = Math.min(firstOrder, segment.order);
        if (arrivals != null) {
            segment.shard = arrivals.onSegmentAdded();
        }
        segment.large = blackHole.isLarge(pendingBytes() - output.overheadBytes());
    }

    /** Appends a copy of a segment to the current datagram, which must have room for it. */
    public void appendCopy(Segment segment, int ts) {
        write(segment, ts);
        counters.redundantSegments++;
    }

    private void write(Segment segment, int ts) {
        int length = segment.payloadBytes;
        ByteBuf out = room(SegmentHeader.LENGTH + length);
        SegmentHeader.write(out, conv, SegmentHeader.CMD_PUSH, segment.frg, wnd, ts, segment.sn, una, length);
        ByteBuf payload = segment.payload;
        assert payload != null;
        // Calls getBytes() on the payload instead of writeBytes() on the datagram, because writeBytes() of Netty's adaptive buffers
        // allocates a ByteBuffer if its source is a slice.
        payload.getBytes(segment.payloadIndex, out, length);
        counters.segmentsOut++;
    }

    public void end() {
        ByteBuf out = datagram;
        if (out != null) {
            datagram = null;
            firstOrder = Long.MAX_VALUE;
            announcedWindow = wnd;
            counters.datagramsOut++;
            counters.wireBytesOut += out.readableBytes();
            if (limit.isActive()) {
                limit.spend(out.readableBytes() + output.overheadBytes());
            }
            output.write(out);
        }
    }

    /**
     * Creates a probe for a larger MTU, as described in {@code MtuSearch}. Its last segment ends with the datagram, so a peer that has
     * received only a part of the datagram does not acknowledge this segment.
     *
     * @param bytes     the size of the probe, at least that of two segments
     * @param sn        the number of the last segment
     * @param paddingSn the number of the other PUSH segments
     * @return the datagram, <b>returned owned</b>
     */
    public ByteBuf mtuProbe(int bytes, int sn, int paddingSn, int ts) {
        ByteBuf out = output.allocate(bytes);
        SegmentHeader.write(out, conv, SegmentHeader.CMD_WASK, 0, wnd, 0, 0, una, 0);
        int left = bytes - SegmentHeader.LENGTH;
        for (; left >= 2 * SegmentHeader.LENGTH; left -= SegmentHeader.LENGTH) {
            SegmentHeader.write(out, conv, SegmentHeader.CMD_PUSH, 0, wnd, ts, paddingSn, una, 0);
        }
        int payloadBytes = left - SegmentHeader.LENGTH;
        SegmentHeader.write(out, conv, SegmentHeader.CMD_PUSH, 0, wnd, ts, sn, una, payloadBytes);
        return out.writeZero(payloadBytes);
    }

    public int conv() {
        return conv;
    }

    /** Returns {@code true} if a datagram is being written and has room for {@code bytes} more bytes. */
    public boolean hasRoom(int bytes) {
        return datagram != null && datagram.readableBytes() + bytes <= mtuBytes;
    }

    private void endUnlessFits(int bytes) {
        ByteBuf out = datagram;
        if (out != null && out.readableBytes() + bytes > mtuBytes) {
            end();
        }
    }

    /** Returns a datagram with room for {@code bytes} more bytes. A segment that exceeds the MTU is sent in a datagram of its own. */
    private ByteBuf room(int bytes) {
        endUnlessFits(bytes);
        ByteBuf out = datagram;
        if (out == null) {
            out = output.allocate(Math.max(mtuBytes, bytes));
            datagram = out;
        }
        return out;
    }
}
