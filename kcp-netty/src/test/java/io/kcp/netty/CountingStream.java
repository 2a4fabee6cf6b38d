package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks that a stream of bytes arrives complete and in order. Byte {@code n} of the stream has the value {@code n % 251}. The handler also
 * records the changes of the peer's address.
 */
@Sharable
final class CountingStream extends ChannelInboundHandlerAdapter {

    private static final int MODULUS = 251;

    private final List<KcpAddressChangeEvent> changes = new ArrayList<>();
    private long received;
    private long sent;
    private long wrong;
    private Throwable failure;

    long received() {
        return received;
    }

    long sent() {
        return sent;
    }

    long wrong() {
        return wrong;
    }

    Throwable failure() {
        return failure;
    }

    List<KcpAddressChangeEvent> changes() {
        return changes;
    }

    /** Writes the next bytes of the stream. */
    void write(KcpChannel session, int bytes) {
        ByteBuf buffer = session.alloc().directBuffer(bytes);
        for (int i = 0; i < bytes; i++) {
            buffer.writeByte((int) (sent++ % MODULUS));
        }
        session.writeAndFlush(buffer);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        while (buffer.isReadable()) {
            if (buffer.readByte() != (byte) (received++ % MODULUS)) {
                wrong++;
            }
        }
        buffer.release();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof KcpAddressChangeEvent change) {
            changes.add(change);
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failure = cause;
    }
}
