package io.kcp.spring.handler;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/** A message codec and the type of the objects that it encodes and decodes. */
final class TypedCodec {

    private final String name;
    private final Class<?> type;
    private final KcpMessageCodec<Object> codec;

    /**
     * Creates a typed codec.
     *
     * @param name for log lines and exceptions
     */
    @SuppressWarnings("unchecked")
    TypedCodec(String name, Class<?> type, KcpMessageCodec<?> codec) {
        this.name = name;
        this.type = type;
        this.codec = (KcpMessageCodec<Object>) codec;
    }

    /** Returns all codec beans. */
    static List<TypedCodec> beansOf(ConfigurableListableBeanFactory beans) {
        List<TypedCodec> codecs = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(KcpMessageCodec.class)) {
            KcpMessageCodec<?> codec = beans.getBean(name, KcpMessageCodec.class);
            Class<?> type = beans.containsBeanDefinition(name)
                ? typeOf(beans.getMergedBeanDefinition(name).getResolvableType()) : null;
            if (type == null) {
                type = typeOf(ResolvableType.forClass(AopUtils.getTargetClass(codec)));
            }
            if (type == null) {
                throw new InvalidControllerException("The KcpMessageCodec bean \"" + name + "\" does not declare its type",
                    "Declare the return type of its @Bean method, or its class, as KcpMessageCodec<YourType>");
            }
            codecs.add(new TypedCodec('"' + name + '"', type, codec));
        }
        return codecs;
    }

    private static @Nullable Class<?> typeOf(ResolvableType declared) {
        return declared.as(KcpMessageCodec.class).getGeneric(0).resolve();
    }

    Class<?> type() {
        return type;
    }

    /** Returns {@code true} if the codec may decode a message into an object of a type. */
    boolean mayDecode(Class<?> wanted) {
        return type.isAssignableFrom(wanted) || wanted.isAssignableFrom(type);
    }

    boolean encodes(Class<?> written) {
        return type.isAssignableFrom(written);
    }

    /** Decodes a message, whose buffer is <b>borrowed</b>. */
    Object decode(ByteBuf message) {
        int bytes = message.readableBytes();
        Object value;
        try {
            value = codec.decode(message);
        } catch (Exception failure) {
            throw new KcpMessageException("the KcpMessageCodec " + this + " failed to decode a message of " + bytes + " bytes", failure);
        }
        if (value == null) {
            throw new KcpMessageException("the KcpMessageCodec " + this + " decoded a message of " + bytes + " bytes to null", null);
        }
        return value;
    }

    void encode(Object message, ByteBuf out) throws Exception {
        codec.encode(message, out);
    }

    @Override
    public String toString() {
        return name + " for " + type.getSimpleName();
    }
}
