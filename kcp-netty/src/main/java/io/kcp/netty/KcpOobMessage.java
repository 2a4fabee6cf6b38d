package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;

/**
 * An out-of-band message: one datagram of its own beside the reliable data of a session, neither repeated nor ordered nor
 * acknowledged. Comes as a user event ({@code userEventTriggered}), whatever auto-read says, because it must not wait
 * behind what is not read; who handles it releases it. Written to a {@link KcpChannel}, it is sent as by
 * {@link KcpChannel#sendOob}; where no FEC is sent, the write fails like that of any message a session does not know.
 * Section 3.9 of {@code wire-format.md}.
 */
public final class KcpOobMessage extends DefaultByteBufHolder {

    /**
     * Creates a message.
     *
     * @param payload what it carries, <b>taken</b>; may be empty
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
