package io.kcp.spring.handler;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * A bean with {@link KcpController} on it.
 *
 * @param bean     as others see it, which may be a proxy
 * @param settings what the annotation says
 */
record ControllerBean(Object bean, KcpController settings) {

    /** Reads the signatures of all its methods; there is at least one. */
    List<MethodSignature> signatures() {
        Class<?> type = AopUtils.getTargetClass(bean);
        List<MethodSignature> signatures = new ArrayList<>();
        for (Trigger trigger : Trigger.values()) {
            Set<Method> methods = MethodIntrospector.selectMethods(type,
                (Method method) -> AnnotatedElementUtils.hasAnnotation(method, trigger.annotation()));
            boolean single = trigger == Trigger.OPEN || trigger == Trigger.CLOSE;
            if (single && methods.size() > 1) {
                throw new InvalidControllerException(this + " has " + methods.size() + " " + trigger + " methods, in no order",
                    "Make one of them");
            }
            methods.forEach(method -> signatures.add(new MethodSignature(trigger, method, type)));
        }
        if (signatures.isEmpty()) {
            throw new InvalidControllerException(this + " has no method that is called for anything",
                "Put @OnOpen, @OnMessage, @OnClose or @OnError on some, or take @KcpController away");
        }
        return signatures;
    }

    @Override
    public String toString() {
        return "@KcpController " + AopUtils.getTargetClass(bean).getSimpleName();
    }
}
