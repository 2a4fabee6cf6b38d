package io.kcp.core.internal.base;

/** Numbers that several parts of a conversation use. */
public final class ProtocolConstants {

    /** See {@code Kcp.NO_DEADLINE}. */
    public static final int NO_DEADLINE = Integer.MAX_VALUE;
    /** Window, in segments, that is assumed for the peer until its first datagram arrives, as in kcp-go. */
    public static final int INITIAL_WINDOW_SEGMENTS = 32;
    /** Length of the header of a segment. */
    public static final int HEADER_BYTES = 24;
    /** Maximum retransmission timeout. */
    public static final int MAX_RTO_MS = 60_000;
    /** Memory in bytes of the objects that store one segment, counted in addition to the payload of the segment. */
    public static final int SEGMENT_OVERHEAD_BYTES = 128;
    /** See {@code KcpConfig.MAX_MTU_BYTES}. */
    public static final int MAX_MTU_BYTES = 1500;
    /** Memory in bytes that a segment of the maximum size occupies. */
    public static final int MAX_SEGMENT_COST_BYTES = MAX_MTU_BYTES - HEADER_BYTES + SEGMENT_OVERHEAD_BYTES;

    private ProtocolConstants() {
    }
}
