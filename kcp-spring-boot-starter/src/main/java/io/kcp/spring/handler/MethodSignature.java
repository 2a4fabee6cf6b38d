package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.netty.channel.Channel;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.springframework.core.ResolvableType;

/** The parameters and the return type of a controller method. The constructor rejects invalid signatures. */
final class MethodSignature {

    /** Index of the channel that carries the messages, among the arguments of a controller method. */
    private static final int CHANNEL = 0;
    private static final int PAYLOAD = 1;
    private static final int CAUSE = 2;
    private static final int SESSION = 3;
    private static final int SOURCES = 4;

    private final Trigger trigger;
    private final Method method;
    private final Class<?> controller;
    private final int[] sources;
    private final Class<?> payloadType;
    private final ResolvableType replyType;
    private final boolean returnsFuture;

    /**
     * Reads the signature of a method.
     *
     * @param controller the class of the bean, which may be a subclass of the declaring class
     */
    MethodSignature(Trigger trigger, Method method, Class<?> controller) {
        this.trigger = trigger;
        this.method = method;
        this.controller = controller;
        if (Modifier.isStatic(method.getModifiers())) {
            throw new InvalidControllerException(this + " is static", "Make it an instance method");
        }
        sources = new int[method.getParameterCount()];
        payloadType = readParameters();
        ResolvableType returned = ResolvableType.forMethodReturnType(method, controller);
        returnsFuture = isFuture(returned.toClass());
        replyType = returnsFuture ? replyOf(returned) : returned;
        if (trigger == Trigger.CLOSE && replyType.toClass() != void.class) {
            throw new InvalidControllerException(this + " returns a value, but the session is closed", "Make the method void");
        }
    }

    private Class<?> readParameters() {
        Class<?> payload = void.class;
        boolean[] taken = new boolean[SOURCES];
        for (int i = 0; i < sources.length; i++) {
            Class<?> type = ResolvableType.forMethodParameter(method, i, controller).toClass();
            int source = sourceOf(type);
            if (source < 0) {
                throw new InvalidControllerException("Parameter " + (i + 1) + " of " + this + " has an unsupported type, "
                    + type.getTypeName(), "Supported parameters are " + trigger.parameters());
            }
            if (taken[source]) {
                throw new InvalidControllerException("Parameter " + (i + 1) + " of " + this + " repeats another parameter",
                    "Supported parameters are " + trigger.parameters());
            }
            taken[source] = true;
            sources[i] = source;
            if (source == PAYLOAD) {
                payload = type;
            }
        }
        if (trigger == Trigger.MESSAGE && !taken[PAYLOAD]) {
            throw new InvalidControllerException(this + " has no parameter for the message", "Add one of type ByteBuf, byte[], String, "
                + "KcpOobMessage or the type of a KcpMessageCodec bean");
        }
        return trigger == Trigger.ERROR && !taken[PAYLOAD] ? Throwable.class : payload;
    }

    /**
     * Returns the index of the {@link ControllerMethod#call} argument that is passed to a parameter of a type, or a negative number if the
     * type is not supported.
     */
    private int sourceOf(Class<?> type) {
        if (type == KcpChannel.class) {
            return SESSION;
        }
        if (Channel.class.isAssignableFrom(type) && (type.isAssignableFrom(KcpChannel.class) || isStream(type))) {
            return CHANNEL;
        }
        boolean exception = Throwable.class.isAssignableFrom(type);
        return switch (trigger) {
            case OPEN -> -1;
            case MESSAGE -> exception || isNoMessage(type) ? -1 : PAYLOAD;
            case CLOSE -> type == KcpCloseReason.class ? PAYLOAD : type == Throwable.class ? CAUSE : -1;
            case ERROR -> exception ? PAYLOAD : -1;
        };
    }

    private static boolean isStream(Class<?> type) {
        return type == SmuxStreamChannel.class;
    }

    /** Returns {@code true} if a parameter of the method is a smux stream. */
    boolean needsStreams() {
        return Arrays.stream(method.getParameterTypes()).anyMatch(MethodSignature::isStream);
    }

    /** Returns {@code true} if the method handles or returns out-of-band messages, which only sessions without streams support. */
    boolean needsOob() {
        return payloadType == KcpOobMessage.class || KcpOobMessage.class.isAssignableFrom(replyType.toClass());
    }

    private static boolean isNoMessage(Class<?> type) {
        return type.isPrimitive() || type.isArray() && type != byte[].class || Channel.class.isAssignableFrom(type)
            || type == KcpCloseReason.class;
    }

    private static boolean isFuture(Class<?> type) {
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

    /** Returns, for each parameter of the method, the index of the {@link ControllerMethod#call} argument that is passed to it. */
    int[] sources() {
        return sources.clone();
    }

    /** Returns the type of the message, exception or close reason that the method accepts, or {@code void} if it accepts none. */
    Class<?> payloadType() {
        return payloadType;
    }

    /** Returns the return type of the method, or the value type of the future that it returns. */
    ResolvableType replyType() {
        return replyType;
    }

    /** Returns {@code true} if the method returns a future. */
    boolean returnsFuture() {
        return returnsFuture;
    }

    /** Returns a description for log lines and exceptions: the annotation, class, name and parameter types of the method. */
    @Override
    public String toString() {
        return trigger + " " + controller.getSimpleName() + '.' + method.getName() + Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName).collect(Collectors.joining(", ", "(", ")"));
    }
}
