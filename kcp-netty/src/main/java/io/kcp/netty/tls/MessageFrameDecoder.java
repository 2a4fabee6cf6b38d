package io.kcp.netty.tls;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpTlsException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.TooLongFrameException;
import org.jspecify.annotations.Nullable;

/** Splits the decrypted bytes into messages, and closes the session if the peer sends a longer message than this side accepts. */
final class MessageFrameDecoder extends LengthFieldBasedFrameDecoder {

    private final KcpChannel session;

    MessageFrameDecoder(KcpChannel session, int maxMessageBytes) {
        // The limit of the base class includes the length field.
        super((int) Math.min(Integer.MAX_VALUE, (long) maxMessageBytes + MessageFrameEncoder.LENGTH_BYTES), 0,
            MessageFrameEncoder.LENGTH_BYTES, 0, MessageFrameEncoder.LENGTH_BYTES);
        this.session = session;
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
