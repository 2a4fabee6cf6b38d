package io.kcp.tools.linkcheck;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;

/**
 * Reads the segment headers of all datagrams of one session, between {@code KcpHandler} and the handlers for FEC and the cipher, and
 * forwards the datagrams unchanged. Runs on the event loop of the session. This handler depends on an internal class, because the library
 * has no API that tells which datagrams FEC recovered.
 */
final class SegmentTap extends ChannelDuplexHandler {

    private final int conv;
    private SentSegments sent = new SentSegments();
    private ReceivedSegments received = new ReceivedSegments();
    private int peerWindow;
    private int ownWindow;
    private volatile boolean anyReceived;

    SegmentTap(int conv) {
        this.conv = conv;
    }

    /** Starts new measurements. No data should be in flight. */
    void restart() {
        sent = new SentSegments();
        received = new ReceivedSegments();
    }

    SentSegments sent() {
        return sent;
    }

    ReceivedSegments received() {
        return received;
    }

    /** Returns the largest receive window that the peer has advertised, in segments. */
    int peerWindow() {
        return peerWindow;
    }

    /** Returns the largest receive window that this side has advertised, in segments. */
    int ownWindow() {
        return ownWindow;
    }

    /** Returns {@code true} if a segment of the peer has arrived. Any thread may call it. */
    boolean anyReceived() {
        return anyReceived;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof DatagramPacket packet) {
            readInbound(packet.content(), packet instanceof KcpDatagram kcpPacket && kcpPacket.isRecovered(), System.nanoTime());
        }
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof DatagramPacket packet) {
            readOutbound(packet.content(), System.nanoTime());
        }
        context.write(message, promise);
    }

    private void readInbound(ByteBuf datagram, boolean recovered, long nanos) {
        boolean hasUna = false;
        int una = 0;
        for (int offset = datagram.readerIndex(); hasSegment(datagram, offset); offset += segmentBytes(datagram, offset)) {
            anyReceived = true;
            int sn = SegmentHeader.sn(datagram, offset);
            int ts = SegmentHeader.ts(datagram, offset);
            switch (SegmentHeader.cmd(datagram, offset)) {
                case SegmentHeader.CMD_PUSH -> {
                    if (SegmentHeader.len(datagram, offset) > 0) {
                        received.onPush(sn, ts, recovered);
                    }
                }
                case SegmentHeader.CMD_ACK -> sent.onAck(sn, ts, nanos);
                default -> { }
            }
            if (!recovered) {
                hasUna = true;
                una = SegmentHeader.una(datagram, offset);
                peerWindow = Math.max(peerWindow, SegmentHeader.wnd(datagram, offset));
            }
        }
        if (hasUna) {
            sent.onUna(una, nanos);
        }
    }

    private void readOutbound(ByteBuf datagram, long nanos) {
        for (int offset = datagram.readerIndex(); hasSegment(datagram, offset); offset += segmentBytes(datagram, offset)) {
            int payloadBytes = (int) SegmentHeader.len(datagram, offset);
            ownWindow = Math.max(ownWindow, SegmentHeader.wnd(datagram, offset));
            // An empty PUSH is a liveness probe.
            if (SegmentHeader.cmd(datagram, offset) == SegmentHeader.CMD_PUSH && payloadBytes > 0) {
                sent.onPush(SegmentHeader.sn(datagram, offset), SegmentHeader.ts(datagram, offset), payloadBytes, nanos);
            }
        }
    }

    private boolean hasSegment(ByteBuf datagram, int offset) {
        int left = datagram.writerIndex() - offset;
        return left >= SegmentHeader.LENGTH && SegmentHeader.conv(datagram, offset) == conv
            && SegmentHeader.len(datagram, offset) <= left - SegmentHeader.LENGTH;
    }

    private static int segmentBytes(ByteBuf datagram, int offset) {
        return SegmentHeader.LENGTH + (int) SegmentHeader.len(datagram, offset);
    }
}
