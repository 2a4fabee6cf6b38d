package io.kcp.spring.handler;

import io.kcp.netty.KcpOobMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Combines the controllers of one server and rejects conflicting methods. */
final class ServerControllersBuilder {

    private final ConfigurableListableBeanFactory beans;
    private final List<ControllerBean> controllers;
    private final List<TypedCodec> codecs;
    private final List<Found> found = new ArrayList<>();

    private record Found(ControllerBean controller, MethodSignature signature) {

        boolean isMessage() {
            return signature.trigger() == Trigger.MESSAGE && signature.payloadType() != KcpOobMessage.class;
        }

        boolean isOob() {
            return signature.trigger() == Trigger.MESSAGE && signature.payloadType() == KcpOobMessage.class;
        }

        @Override
        public String toString() {
            return signature.toString();
        }
    }

    ServerControllersBuilder(ConfigurableListableBeanFactory beans, List<ControllerBean> controllers) {
        this.beans = beans;
        this.controllers = controllers;
        codecs = TypedCodec.beansOf(beans);
        for (ControllerBean controller : controllers) {
            controller.signatures().forEach(signature -> found.add(new Found(controller, signature)));
        }
    }

    ServerControllers build() {
        List<Found> messages = found.stream().filter(Found::isMessage).toList();
        List<Found> oob = found.stream().filter(Found::isOob).toList();
        if (oob.size() > 1) {
            throw new InvalidControllerException("Several methods handle out-of-band messages: " + oob, "Keep one of them");
        }
        TypedCodec codec = codecOf(messages);
        Replies replies = new Replies(codecs, codec);
        Class<?> root = codec != null ? codec.type() : Object.class;
        return new ServerControllers(methods(Trigger.OPEN, replies), methods(Trigger.CLOSE, replies), decoder(messages, codec),
            new TypeRoutes(messages.stream().map(method -> bind(method, replies)).toList(), root),
            oob.isEmpty() ? null : bind(oob.get(0), replies), new TypeRoutes(methods(Trigger.ERROR, replies), Throwable.class),
            replies, new WarnOnceLogger(), new WarnOnceLogger());
    }

    private List<ControllerMethod> methods(Trigger trigger, Replies replies) {
        return found.stream().filter(method -> method.signature().trigger() == trigger).map(method -> bind(method, replies)).toList();
    }

    // ---- decoding

    private static boolean isRaw(Class<?> type) {
        return type == ByteBuf.class || type == byte[].class || type == String.class;
    }

    private @Nullable TypedCodec codecOf(List<Found> messages) {
        List<Found> raw = messages.stream().filter(method -> isRaw(method.signature().payloadType())).toList();
        if (!raw.isEmpty() && messages.size() > 1) {
            throw new InvalidControllerException("Several methods accept the same messages: " + messages,
                "Keep one of them, or change the parameter types to different subtypes of a type that a KcpMessageCodec bean decodes");
        }
        TypedCodec json = json();
        if (json != null || messages.isEmpty() || !raw.isEmpty()) {
            return json == null || reads(json, messages) ? json : refuseJson(json, messages);
        }
        List<TypedCodec> fitting = codecs.stream().filter(codec -> reads(codec, messages)).toList();
        if (fitting.size() == 1) {
            return fitting.get(0);
        }
        if (fitting.isEmpty()) {
            throw new InvalidControllerException("No KcpMessageCodec bean decodes the messages of " + messages + " ("
                + (codecs.isEmpty() ? "there is no such bean" : "existing beans: " + codecs) + ")",
                "Declare a bean of type KcpMessageCodec<" + messages.get(0).signature().payloadType().getSimpleName()
                    + ">, or of a common supertype; or accept ByteBuf, byte[] or String");
        }
        throw new InvalidControllerException("Several KcpMessageCodec beans can decode the messages of " + messages + ": " + fitting,
            "Keep one of them, or change the parameter types to exactly the type of one of them");
    }

    private static boolean reads(TypedCodec codec, List<Found> messages) {
        return messages.stream().map(method -> method.signature().payloadType()).allMatch(type -> isRaw(type) || codec.mayDecode(type));
    }

    private static TypedCodec refuseJson(TypedCodec json, List<Found> messages) {
        throw new InvalidControllerException("Messages are JSON of type " + json.type().getSimpleName() + ", which some of " + messages
            + " do not accept", "Set the attribute json of @KcpController to a common supertype");
    }

    private @Nullable TypedCodec json() {
        List<Class<?>> types = new ArrayList<>();
        controllers.stream().map(controller -> controller.settings().json()).filter(type -> type != void.class).distinct()
            .forEach(types::add);
        if (types.isEmpty()) {
            return null;
        }
        if (types.size() > 1) {
            throw new InvalidControllerException("The controllers of one server use different JSON types: " + types,
                "Set the attribute json of @KcpController to one common supertype");
        }
        if (!ClassUtils.isPresent("tools.jackson.databind.json.JsonMapper", beans.getBeanClassLoader())) {
            throw new InvalidControllerException("@KcpController(json = " + types.get(0).getSimpleName()
                + ".class) needs Jackson, which is not on the class path", "Add spring-boot-starter-jackson to the dependencies");
        }
        return JsonCodec.of(beans, types.get(0));
    }

    private static ServerControllers.MessageDecoder decoder(List<Found> messages, @Nullable TypedCodec codec) {
        Class<?> first = messages.isEmpty() ? ByteBuf.class : messages.get(0).signature().payloadType();
        if (first == ByteBuf.class) {
            return message -> message;
        }
        if (first == byte[].class) {
            return ByteBufUtil::getBytes;
        }
        if (first == String.class) {
            return message -> message.toString(StandardCharsets.UTF_8);
        }
        assert codec != null;
        return codec::decode;
    }

    // ---- encoding

    private static ControllerMethod bind(Found method, Replies replies) {
        return new ControllerMethod(method.signature(), method.controller().bean(), reply(method.signature(), replies));
    }

    private static Reply reply(MethodSignature signature, Replies replies) {
        Class<?> type = signature.replyType().resolve();
        if (type == null) {
            throw new InvalidControllerException(signature + " returns a future without a type argument",
                "Add one, for example CompletionStage<String>");
        }
        Reply plain = Reply.of(type);
        if (plain != null) {
            return plain;
        }
        List<TypedCodec> writing = replies.codecsOf(type);
        if (writing.isEmpty()) {
            throw new InvalidControllerException(signature + " returns a type that cannot be encoded, " + type.getTypeName(),
                "Return ByteBuf, byte[], String, KcpOobMessage, void, a type that a KcpMessageCodec bean encodes, or a CompletionStage "
                    + "or Netty Future of these");
        }
        if (writing.size() > 1) {
            throw new InvalidControllerException(signature + " returns a type that several KcpMessageCodec beans encode: " + writing,
                "Keep one of them, or return ByteBuf");
        }
        return Reply.of(writing.get(0));
    }
}
