package io.kcp.examples.arena.room;

import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ArenaMessage;
import io.kcp.spring.handler.KcpMessageCodec;
import io.netty.buffer.ByteBuf;
import org.springframework.stereotype.Component;

/** Message codec that allows controller methods to accept and return {@link ArenaMessage} objects. */
@Component
final class ArenaMessageCodec implements KcpMessageCodec<ArenaMessage> {

    @Override
    public ArenaMessage decode(ByteBuf message) {
        return ArenaCodec.decode(message);
    }

    @Override
    public void encode(ArenaMessage message, ByteBuf out) {
        ArenaCodec.encode(message, out);
    }
}
