package io.kcp.interop.plain;

import io.kcp.bench.rig.ChannelSession;
import io.kcp.bench.rig.SessionListener;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/**
 * Frames messages on a byte stream with a four-byte prefix that contains the length of the message. The first byte of a stream selects
 * framed messages or unframed bulk data.
 */
final class Framing {

    private static final byte BARE = 0;
    private static final byte FRAMED = 1;
    private static final int LENGTH_BYTES = 4;
    private static final int LONGEST_BYTES = 1 << 20;

    private Framing() {
    }

    static void client(Channel channel, boolean framed, SessionListener listener) {
        ChannelPipeline pipeline = channel.pipeline();
        pipeline.addLast(new Announcement(framed));
        if (framed) {
            addCodec(pipeline);
        }
        pipeline.addLast(new ChannelSession(listener));
    }

    static void server(Channel channel, SessionListener listener) {
        channel.pipeline().addLast(new Detection(listener));
    }

    private static void addCodec(ChannelPipeline pipeline) {
        pipeline.addLast(new LengthFieldBasedFrameDecoder(LONGEST_BYTES, 0, LENGTH_BYTES, 0, LENGTH_BYTES));
        pipeline.addLast(new LengthPrefix());
    }

    /** Selects the framing by sending the first byte of the stream. */
    private static final class Announcement extends ChannelInboundHandlerAdapter {

        private final boolean framed;

        Announcement(boolean framed) {
            this.framed = framed;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.write(ctx.alloc().directBuffer(1).writeByte(framed ? FRAMED : BARE), ctx.voidPromise());
            ctx.pipeline().remove(this);
            ctx.fireChannelActive();
        }
    }

    /** Reads the first byte of the stream, and replaces itself with the handlers for the selected framing. */
    private static final class Detection extends ChannelInboundHandlerAdapter {

        private final SessionListener listener;

        Detection(SessionListener listener) {
            this.listener = listener;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            if (!bytes.isReadable()) {
                bytes.release();
                return;
            }
            if (bytes.readByte() == FRAMED) {
                addCodec(ctx.pipeline());
            }
            ctx.pipeline().addLast(new ChannelSession(listener));
            if (bytes.isReadable()) {
                ctx.fireChannelRead(bytes);
            } else {
                bytes.release();
            }
            ctx.pipeline().remove(this);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    /** Copies the length and the message into one buffer. For small messages, this copy costs less than writing a second buffer. */
    private static final class LengthPrefix extends ChannelOutboundHandlerAdapter {

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ByteBuf bytes = (ByteBuf) message;
            int length = bytes.readableBytes();
            ByteBuf framed = ctx.alloc().directBuffer(LENGTH_BYTES + length).writeInt(length).writeBytes(bytes);
            bytes.release();
            ctx.write(framed, promise);
        }
    }
}
