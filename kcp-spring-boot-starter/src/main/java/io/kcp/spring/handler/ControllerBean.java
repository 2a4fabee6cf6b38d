package io.kcp.spring.handler;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * A bean whose class is annotated with {@link KcpController}.
 *
 * @param bean     the bean, which may be a proxy
 * @param settings the annotation
 */
record ControllerBean(Object bean, KcpController settings) {

    /** Returns the signatures of all annotated methods, or throws an exception if the class has none. */
    List<MethodSignature> signatures() {
        Class<?> type = AopUtils.getTargetClass(bean);
        List<MethodSignature> signatures = new ArrayList<>();
        for (Trigger trigger : Trigger.values()) {
            Set<Method> methods = MethodIntrospector.selectMethods(type,
                (Method method) -> AnnotatedElementUtils.hasAnnotation(method, trigger.annotation()));
            boolean single = trigger == Trigger.OPEN || trigger == Trigger.CLOSE;
            if (single && methods.size() > 1) {
                throw new InvalidControllerException(this + " has " + methods.size() + " " + trigger + " methods, whose order is undefined",
                    "Merge them into one method");
            }
            methods.forEach(method -> signatures.add(new MethodSignature(trigger, method, type)));
        }
        if (signatures.isEmpty()) {
            throw new InvalidControllerException(this + " has no annotated method",
                "Annotate a method with @OnOpen, @OnMessage, @OnClose or @OnError, or remove @KcpController");
        }
        return signatures;
    }

    @Override
    public String toString() {
        return "@KcpController " + AopUtils.getTargetClass(bean).getSimpleName();
    }
}
