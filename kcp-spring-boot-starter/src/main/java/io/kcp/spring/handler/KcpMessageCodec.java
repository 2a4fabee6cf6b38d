package io.kcp.spring.handler;

import io.netty.buffer.ByteBuf;

/**
 * Decodes messages into objects for {@link OnMessage} methods, and encodes the objects that controllers return or write. A codec bean is
 * selected by the type argument that its class or its {@code @Bean} method declares.
 *
 * <p>Event loops and other threads call a codec concurrently, so it must be thread-safe and must not block.
 *
 * @param <T> the type of the objects, for example a sealed interface
 */
public interface KcpMessageCodec<T> {

    /**
     * Decodes a message.
     *
     * @param message the whole message, <b>borrowed</b>; unread bytes are ignored
     * @return the decoded object, never null
     * @throws Exception if the message is malformed; becomes the cause of a {@link KcpMessageException}
     */
    T decode(ByteBuf message) throws Exception;

    /**
     * Encodes an object.
     *
     * @param message the object
     * @param out     the buffer to append to, <b>borrowed</b>
     * @throws Exception if the object cannot be encoded
     */
    void encode(T message, ByteBuf out) throws Exception;
}
