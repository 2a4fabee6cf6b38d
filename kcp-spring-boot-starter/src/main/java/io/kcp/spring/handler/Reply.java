package io.kcp.spring.handler;

import io.kcp.netty.KcpOobMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** Makes what can be written to a session of what a method returned. */
@FunctionalInterface
interface Reply {

    /** Of {@code void}: there is never a value. */
    Reply NONE = (value, allocator) -> Unpooled.EMPTY_BUFFER;

    /** Of what can be written as it is. */
    Reply AS_IT_IS = (value, allocator) -> value;

    /** Of a {@code byte[]}. */
    Reply BYTES = (value, allocator) -> Unpooled.wrappedBuffer((byte[]) value);

    /** Of a {@code String}. */
    Reply STRING = (value, allocator) -> ByteBufUtil.writeUtf8(allocator, (String) value);

    /**
     * Makes a message.
     *
     * @param value what was returned, not null; <b>taken</b>
     * @return a message, owned
     * @throws Exception if that cannot be done
     */
    Object toMessage(Object value, ByteBufAllocator allocator) throws Exception;

    /** Of the type of a codec. */
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

    /** Returns what is made of a type without any codec, or null. */
    static @Nullable Reply of(Class<?> type) {
        if (type == void.class || type == Void.class) {
            return NONE;
        }
        if (ByteBuf.class.isAssignableFrom(type) || type == KcpOobMessage.class) {
            return AS_IT_IS;
        }
        return type == byte[].class ? BYTES : type == String.class ? STRING : null;
    }
}
