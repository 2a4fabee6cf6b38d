package io.kcp.spring.handler;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import org.springframework.beans.factory.ListableBeanFactory;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/** Encodes and decodes messages as JSON. */
final class JsonCodec implements KcpMessageCodec<Object> {

    private final ObjectReader reader;
    private final ObjectWriter writer;

    private JsonCodec(JsonMapper mapper, Class<?> type) {
        reader = mapper.readerFor(type);
        writer = mapper.writerFor(type);
    }

    /** Creates a codec that uses the {@code JsonMapper} bean of the application. */
    static TypedCodec of(ListableBeanFactory beans, Class<?> type) {
        JsonMapper mapper = beans.getBeanProvider(JsonMapper.class).getIfUnique();
        if (mapper == null) {
            throw new InvalidControllerException("@KcpController(json = " + type.getSimpleName()
                + ".class) needs exactly one JsonMapper bean, or a primary one",
                "Add spring-boot-starter-jackson to the dependencies, declare a JsonMapper bean, or mark one as @Primary");
        }
        return new TypedCodec("json", type, new JsonCodec(mapper, type));
    }

    @Override
    public Object decode(ByteBuf message) throws Exception {
        try (InputStream in = new ByteBufInputStream(message)) {
            return reader.readValue(in);
        }
    }

    @Override
    public void encode(Object message, ByteBuf out) throws Exception {
        try (OutputStream stream = new ByteBufOutputStream(out)) {
            writer.writeValue(stream, message);
        }
    }
}
