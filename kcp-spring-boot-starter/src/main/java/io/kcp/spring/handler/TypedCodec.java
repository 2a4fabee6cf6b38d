package io.kcp.spring.handler;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/** A codec and the type that it is for. */
final class TypedCodec {

    private final String name;
    private final Class<?> type;
    private final KcpMessageCodec<Object> codec;

    /**
     * Creates one.
     *
     * @param name for people
     */
    @SuppressWarnings("unchecked")
    TypedCodec(String name, Class<?> type, KcpMessageCodec<?> codec) {
        this.name = name;
        this.type = type;
        this.codec = (KcpMessageCodec<Object>) codec;
    }

    /** Finds all codec beans. */
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
                throw new InvalidControllerException("The KcpMessageCodec bean \"" + name + "\" does not say for which type it is",
                    "Declare its @Bean method, or its class, as a KcpMessageCodec<YourType>");
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

    /** Tells whether what it reads may be of a type. */
    boolean mayRead(Class<?> wanted) {
        return type.isAssignableFrom(wanted) || wanted.isAssignableFrom(type);
    }

    boolean writes(Class<?> written) {
        return type.isAssignableFrom(written);
    }

    /** Reads a message, <b>borrowed</b>. */
    Object decode(ByteBuf message) {
        int bytes = message.readableBytes();
        Object value;
        try {
            value = codec.decode(message);
        } catch (Exception failure) {
            throw new KcpMessageException("the KcpMessageCodec " + this + " could not read a message of " + bytes + " bytes", failure);
        }
        if (value == null) {
            throw new KcpMessageException("the KcpMessageCodec " + this + " made null of a message of " + bytes + " bytes", null);
        }
        return value;
    }

    void encode(Object message, ByteBuf out) throws Exception {
        codec.encode(message, out);
    }

    @Override
    public String toString() {
        return name + " of " + type.getSimpleName();
    }
}
