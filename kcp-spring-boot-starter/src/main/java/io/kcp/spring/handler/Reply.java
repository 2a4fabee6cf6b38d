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

    /** For {@code void}; never called, because there is no value. */
    Reply NONE = (value, allocator) -> Unpooled.EMPTY_BUFFER;

    /** For values that are written unchanged. */
    Reply UNCHANGED = (value, allocator) -> value;

    /** For {@code byte[]}. */
    Reply BYTES = (value, allocator) -> Unpooled.wrappedBuffer((byte[]) value);

    /** For {@code String}, as UTF-8. */
    Reply STRING = (value, allocator) -> ByteBufUtil.writeUtf8(allocator, (String) value);

    /**
     * Encodes a value.
     *
     * @param value the value, not null; <b>taken</b>
     * @return the message, owned
     * @throws Exception if the value cannot be encoded
     */
    Object toMessage(Object value, ByteBufAllocator allocator) throws Exception;

    /** Returns an encoder that uses a codec. */
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

    /** Returns the encoder for a type that needs no codec; null if the type needs one. */
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
