package io.kcp.spring.handler;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Registers reflection hints for the JSON type of a {@link KcpController} and for the permitted subclasses of that type. */
final class ControllerAotProcessor implements BeanRegistrationAotProcessor {

    private final BindingReflectionHintsRegistrar registrar = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        KcpController settings = AnnotatedElementUtils.findMergedAnnotation(bean.getBeanClass(), KcpController.class);
        if (settings == null || settings.json() == void.class) {
            return null;
        }
        return (generation, code) -> register(generation.getRuntimeHints().reflection(), settings.json());
    }

    private void register(ReflectionHints hints, Class<?> type) {
        registrar.registerReflectionHints(hints, type);
        Class<?>[] subclasses = type.getPermittedSubclasses();
        if (subclasses != null) {
            for (Class<?> subclass : subclasses) {
                register(hints, subclass);
            }
        }
    }
}
