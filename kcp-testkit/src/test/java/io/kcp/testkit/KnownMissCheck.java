package io.kcp.testkit;

import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test method if {@link KnownMisses} has an entry for it that applied to none of its scenarios, for example because the scenario
 * was renamed. A parameterized test is checked after its last invocation.
 */
final class KnownMissCheck implements BeforeEachCallback, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(KnownMissCheck.class);

    @Override
    public void beforeEach(ExtensionContext context) {
        Method method = context.getRequiredTestMethod();
        if (!method.isAnnotationPresent(Test.class)) {
            // The parent of an invocation is the method with all invocations, and its store closes after the last one.
            context.getParent().orElseThrow().getStore(NAMESPACE).computeIfAbsent(method,
                key -> (AutoCloseable) () -> assertAllFound(method), AutoCloseable.class);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (context.getRequiredTestMethod().isAnnotationPresent(Test.class)) {
            assertAllFound(context.getRequiredTestMethod());
        }
    }

    private static void assertAllFound(Method method) {
        String test = method.getDeclaringClass().getSimpleName() + '#' + method.getName();
        for (KnownMiss miss : KnownMisses.ALL) {
            boolean selected = Variant.selected().stream().anyMatch(miss.variants()::contains);
            if (miss.test().equals(test) && selected && !KnownMisses.wasFound(miss)) {
                throw new AssertionError("KnownMisses has an entry for a scenario or a limit that does not exist: " + miss);
            }
        }
    }
}
