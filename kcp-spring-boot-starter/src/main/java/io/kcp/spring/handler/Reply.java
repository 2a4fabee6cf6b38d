package io.kcp.spring.handler;

import io.kcp.netty.KcpOobMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** Encodes a value that a controller method returned. */
@FunctionalInterface
interface Reply {

    /** Encoder for {@code void} methods. It is never called, because these methods return no value. */
    Reply NONE = (value, allocator) -> Unpooled.EMPTY_BUFFER;

    /** Encoder for buffers and out-of-band messages, which are written unchanged. */
    Reply UNCHANGED = (value, allocator) -> value;

    /** Encoder for {@code byte[]} values. */
    Reply BYTES = (value, allocator) -> Unpooled.wrappedBuffer((byte[]) value);

    /** Encoder for {@code String} values, which are written as UTF-8. */
    Reply STRING = (value, allocator) -> ByteBufUtil.writeUtf8(allocator, (String) value);

    /**
     * Encodes a value.
     *
     * @param value the value, not null; <b>taken</b>
     * @return the message, owned
     * @throws Exception if the value cannot be encoded
     */
    Object toMessage(Object value, ByteBufAllocator allocator) throws Exception;

    /** Returns an encoder that delegates to a message codec. */
    static Reply of(TypedCodec codec) {
        return (value, allocator) -> {
            ByteBuf message = allocator.buffer();
            boolean written = false;
            try {
                codec.encode(value, message);
                written = true;
                return message;
            } finally {
                if (!written) {
                    message.release();
                }
            }
        };
    }

    /** Returns the built-in encoder for a type, or null if the type requires a message codec. */
    static @Nullable Reply of(Class<?> type) {
        if (type == void.class || type == Void.class) {
            return NONE;
        }
        if (ByteBuf.class.isAssignableFrom(type) || type == KcpOobMessage.class) {
            return UNCHANGED;
        }
        return type == byte[].class ? BYTES : type == String.class ? STRING : null;
    }
}
