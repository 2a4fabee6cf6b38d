package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.netty.channel.Channel;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.springframework.core.ResolvableType;

/** What a method of a controller takes and returns. Methods that cannot work are refused. */
final class MethodSignature {

    /** Where the arguments of every call come from, in this order. */
    static final int SESSION = 0;
    static final int PAYLOAD = 1;
    static final int CAUSE = 2;
    private static final int SOURCES = 3;

    private final Trigger trigger;
    private final Method method;
    private final Class<?> controller;
    private final int[] sources;
    private final Class<?> payloadType;
    private final ResolvableType replyType;
    private final boolean later;

    /**
     * Reads a signature.
     *
     * @param controller the class of the bean, which may be a subclass of the method's
     */
    MethodSignature(Trigger trigger, Method method, Class<?> controller) {
        this.trigger = trigger;
        this.method = method;
        this.controller = controller;
        if (Modifier.isStatic(method.getModifiers())) {
            throw new InvalidControllerException(this + " is static", "Make it a method of the bean");
        }
        sources = new int[method.getParameterCount()];
        payloadType = readParameters();
        ResolvableType returned = ResolvableType.forMethodReturnType(method, controller);
        later = isLater(returned.toClass());
        replyType = later ? replyOf(returned) : returned;
        if (trigger == Trigger.CLOSE && replyType.toClass() != void.class) {
            throw new InvalidControllerException(this + " returns a value, and there is nobody left to send it to", "Make it void");
        }
    }

    private Class<?> readParameters() {
        Class<?> payload = void.class;
        boolean[] taken = new boolean[SOURCES];
        for (int i = 0; i < sources.length; i++) {
            Class<?> type = ResolvableType.forMethodParameter(method, i, controller).toClass();
            int source = sourceOf(type);
            if (source < 0) {
                throw new InvalidControllerException("Parameter " + (i + 1) + " of " + this + " is of a type that it cannot take, "
                    + type.getTypeName(), "It may take " + trigger.parameters());
            }
            if (taken[source]) {
                throw new InvalidControllerException("Parameter " + (i + 1) + " of " + this + " is one too many of its kind",
                    "It may take " + trigger.parameters());
            }
            taken[source] = true;
            sources[i] = source;
            if (source == PAYLOAD) {
                payload = type;
            }
        }
        if (trigger == Trigger.MESSAGE && !taken[PAYLOAD]) {
            throw new InvalidControllerException(this + " takes no message", "Add a parameter for it: ByteBuf, byte[], String, "
                + "KcpOobMessage or the type of a KcpMessageCodec bean");
        }
        return trigger == Trigger.ERROR && !taken[PAYLOAD] ? Throwable.class : payload;
    }

    /** Tells where an argument comes from, negative if from nowhere. */
    private int sourceOf(Class<?> type) {
        if (Channel.class.isAssignableFrom(type) && type.isAssignableFrom(KcpChannel.class)) {
            return SESSION;
        }
        boolean exception = Throwable.class.isAssignableFrom(type);
        return switch (trigger) {
            case OPEN -> -1;
            case MESSAGE -> exception || isNoMessage(type) ? -1 : PAYLOAD;
            case CLOSE -> type == KcpCloseReason.class ? PAYLOAD : type == Throwable.class ? CAUSE : -1;
            case ERROR -> exception ? PAYLOAD : -1;
        };
    }

    private static boolean isNoMessage(Class<?> type) {
        return type.isPrimitive() || type.isArray() && type != byte[].class || Channel.class.isAssignableFrom(type)
            || type == KcpCloseReason.class;
    }

    private static boolean isLater(Class<?> type) {
        return CompletionStage.class.isAssignableFrom(type) || io.netty.util.concurrent.Future.class.isAssignableFrom(type);
    }

    private static ResolvableType replyOf(ResolvableType future) {
        ResolvableType stage = future.as(CompletionStage.class);
        return (stage != ResolvableType.NONE ? stage : future.as(io.netty.util.concurrent.Future.class)).getGeneric(0);
    }

    Trigger trigger() {
        return trigger;
    }

    Method method() {
        return method;
    }

    /** Returns for each parameter where its argument comes from. */
    int[] sources() {
        return sources.clone();
    }

    /** Returns what it takes beside the session: a message, an exception; {@code void} if nothing. */
    Class<?> payloadType() {
        return payloadType;
    }

    /** Returns what it returns, or what the future that it returns gives. */
    ResolvableType replyType() {
        return replyType;
    }

    /** Tells whether it returns a future. */
    boolean repliesLater() {
        return later;
    }

    /** For people. */
    @Override
    public String toString() {
        return trigger + " " + controller.getSimpleName() + '.' + method.getName() + Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName).collect(Collectors.joining(", ", "(", ")"));
    }
}
