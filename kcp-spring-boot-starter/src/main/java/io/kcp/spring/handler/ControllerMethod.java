package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.netty.channel.Channel;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/** A controller method that is bound to its bean. */
final class ControllerMethod {

    private static final MethodType CALL =
        MethodType.methodType(Object.class, Channel.class, Object.class, Throwable.class, KcpChannel.class);

    private final MethodSignature signature;
    private final MethodHandle handle;
    private final Reply reply;

    /**
     * Binds a method to its bean.
     *
     * @param bean the bean, which may be a proxy
     */
    ControllerMethod(MethodSignature signature, Object bean, Reply reply) {
        this.signature = signature;
        this.reply = reply;
        handle = handle(signature, bean);
    }

    private static MethodHandle handle(MethodSignature signature, Object bean) {
        try {
            Method method = AopUtils.selectInvocableMethod(signature.method(), bean.getClass());
            ReflectionUtils.makeAccessible(method);
            MethodHandle bound = MethodHandles.lookup().unreflect(method).asFixedArity().bindTo(bean);
            int[] sources = signature.sources();
            MethodType erased = MethodType.methodType(Object.class);
            for (int source : sources) {
                erased = erased.appendParameterTypes(CALL.parameterType(source));
            }
            return MethodHandles.permuteArguments(bound.asType(erased), CALL, sources);
        } catch (IllegalAccessException | RuntimeException hidden) {
            // Access fails if the method is private in a proxied bean, or if its package is not open to this module.
            throw new InvalidControllerException(signature + " cannot be called: " + hidden.getMessage(),
                "Make it public or package-private", hidden);
        }
    }

    /**
     * Calls the method.
     *
     * @param payload the message, the exception or the close reason; null if there is none
     * @param cause   the close cause; null if there is none
     * @return the return value
     * @throws Throwable the exception that the method threw
     */
    @Nullable Object call(ControllerChannel channel, @Nullable Object payload, @Nullable Throwable cause) throws Throwable {
        return (Object) handle.invokeExact(channel.channel(), payload, cause, channel.session());
    }

    /** Returns the encoder for the return value of the method. */
    Reply reply() {
        return reply;
    }

    /** Returns {@code true} if this is an {@link OnError} method. */
    boolean handlesErrors() {
        return signature.trigger() == Trigger.ERROR;
    }

    boolean returnsFuture() {
        return signature.returnsFuture();
    }

    Class<?> payloadType() {
        return signature.payloadType();
    }

    @Override
    public String toString() {
        return signature.toString();
    }
}
