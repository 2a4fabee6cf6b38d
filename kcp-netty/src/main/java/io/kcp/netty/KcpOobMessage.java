package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;

/**
 * An out-of-band message, which is sent in a separate datagram that is not retransmitted, ordered or acknowledged.
 *
 * <p>Received messages are fired as user events ({@code userEventTriggered}), regardless of auto-read, because they must not wait behind
 * unread data. The handler that consumes a message must release it.
 *
 * <p>Writing a message to a {@link KcpChannel} is equivalent to {@link KcpChannel#sendOob}. If this side sends no FEC, the write fails like
 * that of any unsupported message type. The wire format is described in section 3.2 of {@code wire-format.md}.
 */
public final class KcpOobMessage extends DefaultByteBufHolder {

    /**
     * Creates a message.
     *
     * @param payload the payload, <b>taken</b>; may be empty
     */
    public KcpOobMessage(ByteBuf payload) {
        super(payload);
    }

    @Override
    public KcpOobMessage copy() {
        return replace(content().copy());
    }

    @Override
    public KcpOobMessage duplicate() {
        return replace(content().duplicate());
    }

    @Override
    public KcpOobMessage retainedDuplicate() {
        return replace(content().retainedDuplicate());
    }

    @Override
    public KcpOobMessage replace(ByteBuf content) {
        return new KcpOobMessage(content);
    }

    @Override
    public KcpOobMessage retain() {
        super.retain();
        return this;
    }

    @Override
    public KcpOobMessage retain(int increment) {
        super.retain(increment);
        return this;
    }

    @Override
    public KcpOobMessage touch() {
        super.touch();
        return this;
    }

    @Override
    public KcpOobMessage touch(Object hint) {
        super.touch(hint);
        return this;
    }
}
