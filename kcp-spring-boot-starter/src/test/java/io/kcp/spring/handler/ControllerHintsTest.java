package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.KcpChannel;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** Reflection hints for controllers. */
class ControllerHintsTest {

    static class Base {

        @OnOpen
        void onOpen(KcpChannel session) {
        }

        void notAnnotated() {
        }
    }

    @KcpController
    static class Controller extends Base {

        @OnMessage
        String onMessage(String message) {
            return message;
        }

        @OnClose
        private void onClose() {
        }

        @OnError
        public void onError(Throwable failure) {
        }
    }

    @Test
    void annotatedMethodsAreRegisteredForInvocation() {
        RuntimeHints hints = hints(Controller.class);
        for (String name : new String[] {"onOpen", "onMessage", "onClose", "onError"}) {
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method(name))).as(name).accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method("notAnnotated"))).rejects(hints);
    }

    @KcpController(json = Event.class)
    static class OfJson {

        @OnMessage
        void onMessage(Event event) {
        }
    }

    sealed interface Event {
        record Said(String text) implements Event {
        }
    }

    @Test
    void jsonTypesAndSubtypesAreRegisteredForBinding() throws NoSuchMethodException {
        RuntimeHints hints = hints(OfJson.class);
        assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(Event.Said.class.getDeclaredConstructor(String.class)))
            .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Event.Said.class.getMethod("text"))).accepts(hints);
    }

    private static RuntimeHints hints(Class<?> controller) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(controller);
            DefaultGenerationContext generated = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("io.kcp.spring.handler", "Test")), new InMemoryGeneratedFiles());
            new ApplicationContextAotGenerator().processAheadOfTime(context, generated);
            return generated.getRuntimeHints();
        }
    }

    private static Method method(String name) {
        return Arrays.stream(new Class<?>[] {Controller.class, Base.class}).flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
            .filter(method -> method.getName().equals(name)).findFirst().orElseThrow();
    }
}
