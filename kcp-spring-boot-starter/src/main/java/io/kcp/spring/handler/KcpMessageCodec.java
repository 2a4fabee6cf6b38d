package io.kcp.spring.handler;

import io.netty.buffer.ByteBuf;

/**
 * A bean of this kind turns messages into objects for {@link OnMessage} methods, and what they return into messages. It is
 * chosen by its type argument, as declared by its class or its {@code @Bean} method.
 *
 * <p>Called by many threads at once, those of event loops too: must not block.
 *
 * @param <T> the objects; a sealed interface, say
 */
public interface KcpMessageCodec<T> {

    /**
     * Reads a message.
     *
     * @param message the whole message, <b>borrowed</b>; what is left unread is ignored
     * @return what it says, never null
     * @throws Exception if it cannot be understood; becomes a {@link KcpMessageException}
     */
    T decode(ByteBuf message) throws Exception;

    /**
     * Writes a message.
     *
     * @param message what to say
     * @param out     where to append it, <b>borrowed</b>
     * @throws Exception if it cannot be said
     */
    void encode(T message, ByteBuf out) throws Exception;
}
