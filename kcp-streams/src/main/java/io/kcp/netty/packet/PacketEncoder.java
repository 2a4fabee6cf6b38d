package io.kcp.netty.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Converts packets to the bytes of a channel. Each written {@link ByteBuf} is the payload of one packet and is <b>taken</b>. Messages of
 * other types are forwarded unchanged. {@link PacketCodec} combines this encoder with the decoder.
 *
 * <p>Writing a payload above the limit fails with an {@link IllegalArgumentException}, and the channel stays open.
 */
public final class PacketEncoder extends ChannelOutboundHandlerAdapter {

    /**
     * Payloads up to this size are copied to a buffer that starts with their length, because a copy costs less than a composite of two or
     * three buffers.
     */
    private static final int MAX_COPIED_BYTES = 8_192;

    private final PacketFormat format;
    private final PacketChecksum checksum = new PacketChecksum();

    /**
     * Creates an encoder.
     *
     * @param format the format of the packets
     */
    public PacketEncoder(PacketFormat format) {
        this.format = format;
    }

    @Override
    public boolean isSharable() {
        return false;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (!(message instanceof ByteBuf payload)) {
            context.write(message, promise);
            return;
        }
        int length = payload.readableBytes();
        if (length > format.maxPayloadBytes()) {
            payload.release();
            throw new IllegalArgumentException("payload: " + length + " bytes, must be at most " + format.maxPayloadBytes()
                + " (maxPayloadBytes)");
        }
        context.write(length <= MAX_COPIED_BYTES ? copy(context.alloc(), payload, length)
            : compose(context.alloc(), payload, length), promise);
    }

    private ByteBuf copy(ByteBufAllocator allocator, ByteBuf payload, int length) {
        try {
            int bytes = PacketFormat.HEADER_BYTES + length + format.trailerBytes();
            ByteBuf packet = allocator.ioBuffer(bytes, bytes);
            packet.writeIntLE(length).writeBytes(payload, payload.readerIndex(), length);
            if (format.checksum()) {
                packet.writeIntLE(checksum.of(packet, PacketFormat.HEADER_BYTES, length));
            }
            return packet;
        } finally {
            payload.release();
        }
    }

    /** Writes a large packet as one composite buffer, so that the transport accepts or rejects it as a whole. */
    private ByteBuf compose(ByteBufAllocator allocator, ByteBuf payload, int length) {
        ByteBuf ends;
        try {
            ends = allocator.ioBuffer(PacketFormat.HEADER_BYTES + format.trailerBytes()).writeIntLE(length);
            if (format.checksum()) {
                ends.writeIntLE(checksum.of(payload, payload.readerIndex(), length));
            }
        } catch (Throwable e) {
            payload.release();
            throw e;
        }
        if (!format.checksum()) {
            return allocator.compositeBuffer(2).addComponent(true, ends).addComponent(true, payload);
        }
        return allocator.compositeBuffer(3).addComponent(true, ends.readRetainedSlice(PacketFormat.HEADER_BYTES))
            .addComponent(true, payload).addComponent(true, ends);
    }
}
