package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/** A method of a controller, ready to be called. */
final class ControllerMethod {

    private static final MethodType CALL = MethodType.methodType(Object.class, KcpChannel.class, Object.class, Throwable.class);

    private final MethodSignature signature;
    private final MethodHandle handle;
    private final Reply reply;

    /**
     * Binds a method to its bean.
     *
     * @param bean the bean as others see it, which may be a proxy
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
            // A private method of a proxied bean, say, or a package that is not open: the message tells.
            throw new InvalidControllerException(signature + " cannot be called: " + hidden.getMessage(),
                "Make it public or package-private", hidden);
        }
    }

    /**
     * Calls it.
     *
     * @param payload the message, the exception, or why the session ended; null if it takes none
     * @param cause   with what exception the session ended
     * @return what it returned
     * @throws Throwable what it threw
     */
    @Nullable Object call(KcpChannel session, @Nullable Object payload, @Nullable Throwable cause) throws Throwable {
        return (Object) handle.invokeExact(session, payload, cause);
    }

    /** Returns what becomes of its return value. */
    Reply reply() {
        return reply;
    }

    /** Tells whether it is called for exceptions. */
    boolean takesErrors() {
        return signature.trigger() == Trigger.ERROR;
    }

    boolean repliesLater() {
        return signature.repliesLater();
    }

    Class<?> payloadType() {
        return signature.payloadType();
    }

    @Override
    public String toString() {
        return signature.toString();
    }
}
