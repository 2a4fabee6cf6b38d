package io.kcp.netty.packet;

import io.kcp.netty.internal.base.PartialInput;
import io.kcp.netty.internal.base.PartialInputLimit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Converts the bytes of a channel to packets. Each payload is forwarded as one {@link ByteBuf}, which the receiving handler
 * <b>takes</b>. {@link PacketCodec} combines this decoder with the encoder.
 *
 * <p>The incomplete packets of all decoders together use at most a quarter of the smaller one of the maximum heap size and Netty's
 * maximum direct memory. Above half of that, the channels of the connections whose incomplete packets use the most memory are
 * closed, beginning with sessions whose peers are not validated. All smux streams of a session belong to one connection. The system
 * property {@code io.kcp.netty.packet.maxIncompleteBytes} sets this half to a different number of bytes; 0 disables the limit.
 *
 * <p>A channel is also closed if its peer has sent part of a payload, and then nothing for 30 to 40 s while auto-read of the
 * channel and of its connection is on. The system property {@code io.kcp.netty.packet.incompleteTimeoutMs} sets a different
 * timeout; 0 disables the timeout.
 *
 * <p>If the peer announces a payload above the limit, sends a wrong checksum or causes incomplete packets to use too much memory,
 * {@code exceptionCaught} is called with a {@link PacketException}, the channel is closed, and all further input is discarded. An
 * incomplete packet is discarded when the channel is closed.
 *
 * <p>All packets of one read are forwarded, even if auto-read is off, as is usual for decoders in Netty. If a read completes no packet
 * and auto-read is off, the decoder reads again. Add Netty's {@code FlowControlHandler} after this decoder to receive one packet per
 * {@code read()}. When the decoder is removed, it forwards the bytes that it has not decoded.
 */
public final class PacketDecoder extends ChannelInboundHandlerAdapter {

    private final PartialInputLimit limit;
    private final Incomplete incomplete = new Incomplete();
    private final PacketDeframer assembler;
    private final ArrayDeque<Object> reentrant = new ArrayDeque<>(0);
    private boolean decoding;
    private boolean failed;
    private boolean removed;
    private boolean inputClosed;
    private boolean received;
    private boolean delivered;
    private @Nullable ChannelHandlerContext attached;

    /** Counts the memory of the incomplete packet of this decoder. */
    private final class Incomplete extends PartialInput {

        @Override
        protected int receivedBytes() {
            return assembler.payloadBytes();
        }

        @Override
        protected boolean isReadingPaused() {
            ChannelHandlerContext context = attached;
            return context == null || isPausedConnection(context.channel());
        }

        @Override
        protected void onDiscarded(Cause cause, String message) {
            ChannelHandlerContext context = attached;
            if (context != null) {
                fail(context, new PacketException(cause == Cause.TIMEOUT ? PacketException.Reason.TIMEOUT
                    : PacketException.Reason.MEMORY_LIMIT, message));
            }
        }
    }

    /**
     * Creates a decoder.
     *
     * @param format the format of the packets
     */
    public PacketDecoder(PacketFormat format) {
        this(format, PartialInputLimit.SHARED);
    }

    /** Creates a decoder whose incomplete packets count towards a limit. */
    PacketDecoder(PacketFormat format, PartialInputLimit limit) {
        this.limit = limit;
        assembler = new PacketDeframer(format, incomplete);
    }

    @Override
    public boolean isSharable() {
        return false;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        attached = context;
        limit.attach(incomplete, context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (decoding) {
            reentrant.add(message);
            return;
        }
        decoding = true;
        try {
            Object next = message;
            while (next != null) {
                process(context, next);
                next = reentrant.poll();
            }
        } finally {
            decoding = false;
        }
    }

    private void process(ChannelHandlerContext context, Object message) {
        if (removed || !(message instanceof ByteBuf in)) {
            context.fireChannelRead(message);
            return;
        }
        received = true;
        try {
            decode(context, in);
        } finally {
            in.release();
            if (inputClosed) {
                assembler.release();
            }
        }
    }

    private void decode(ChannelHandlerContext context, ByteBuf in) {
        while (!failed && in.isReadable()) {
            if (removed) {
                context.fireChannelRead(in.retain());
                return;
            }
            ByteBuf packet = nextPacket(context, in);
            if (packet == null) {
                return;
            }
            delivered = true;
            context.fireChannelRead(packet);
            if (packet == in) {
                return;
            }
        }
    }

    private @Nullable ByteBuf nextPacket(ChannelHandlerContext context, ByteBuf in) {
        try {
            return assembler.next(context.alloc(), in);
        } catch (PacketException | OutOfMemoryError e) {
            fail(context, e);
            return null;
        }
    }

    private void fail(ChannelHandlerContext context, Throwable failure) {
        failed = true;
        assembler.release();
        context.fireExceptionCaught(failure);
        context.close();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        boolean readAgain = received && !delivered && !failed && !context.channel().config().isAutoRead();
        received = false;
        delivered = false;
        if (readAgain) {
            context.read();
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closeInput();
        context.fireChannelInactive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            closeInput();
        }
        context.fireUserEventTriggered(event);
    }

    private void closeInput() {
        inputClosed = true;
        assembler.release();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        removed = true;
        ByteBuf undecoded = assembler.takeReceived(context.alloc());
        if (undecoded != null) {
            context.fireChannelRead(undecoded);
            context.fireChannelReadComplete();
        }
    }
}
