package io.kcp.netty.tls;

import io.kcp.core.MessageTooLargeException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldPrepender;
import java.util.List;

/** Writes the length of each message before the message, and rejects messages that the peer would not accept. */
final class MessageFrameEncoder extends LengthFieldPrepender {

    /** Size of the length field in front of each message. */
    static final int LENGTH_BYTES = 4;

    private final int maxMessageBytes;

    MessageFrameEncoder(int maxMessageBytes) {
        super(LENGTH_BYTES);
        this.maxMessageBytes = maxMessageBytes;
    }

    @Override
    protected void encode(ChannelHandlerContext context, ByteBuf message, List<Object> out) throws Exception {
        int bytes = message.readableBytes();
        if (bytes > maxMessageBytes) {
            throw new MessageTooLargeException(bytes, maxMessageBytes, "maxMessageBytes");
        }
        super.encode(context, message, out);
    }
}
