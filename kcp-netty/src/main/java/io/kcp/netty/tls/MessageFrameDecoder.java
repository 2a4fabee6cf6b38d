package io.kcp.netty.tls;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpTlsException;
import io.kcp.netty.internal.base.BufferMemory;
import io.kcp.netty.internal.base.PartialInputLimit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.TooLongFrameException;
import org.jspecify.annotations.Nullable;

/**
 * Splits the decrypted bytes into messages, and closes the session if the peer sends a longer message than this side accepts. The memory of
 * an incomplete message counts towards the limit on incomplete packets.
 */
final class MessageFrameDecoder extends LengthFieldBasedFrameDecoder {

    private final KcpChannel session;
    private final PartialInputLimit limit;
    private final SessionPartialInput memory;
    private boolean discarded;

    MessageFrameDecoder(KcpChannel session, int maxMessageBytes, PartialInputLimit limit) {
        // The limit of the base class includes the length field.
        super((int) Math.min(Integer.MAX_VALUE, (long) maxMessageBytes + MessageFrameEncoder.LENGTH_BYTES), 0,
            MessageFrameEncoder.LENGTH_BYTES, 0, MessageFrameEncoder.LENGTH_BYTES);
        this.session = session;
        this.limit = limit;
        // Closing the session releases the stored bytes.
        memory = new SessionPartialInput(session, this::actualReadableBytes, () -> discarded = true);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        limit.attach(memory, context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object input) throws Exception {
        super.channelRead(context, input);
        ByteBuf stored = internalBuffer();
        if (!memory.trySetBytes(stored.isReadable() && !discarded ? BufferMemory.rootCapacity(stored) : 0)) {
            memory.onRefused();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        super.channelInactive(context);
        memory.trySetBytes(0);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        memory.trySetBytes(0);
    }

    @Override
    protected @Nullable Object decode(ChannelHandlerContext context, ByteBuf in) throws Exception {
        try {
            return super.decode(context, in);
        } catch (TooLongFrameException tooLong) {
            if (session.isOpen()) {
                session.closeBecause(KcpTlsException.failed("the peer sent a message that exceeds maxMessageBytes", tooLong));
            }
            return null;
        }
    }
}
