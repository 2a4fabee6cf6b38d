package io.kcp.test;

import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;

/**
 * A test or test class that did not run.
 *
 * @param name   {@code class#method[case]}, or the name of the class
 * @param reason the reason that its condition or assumption gives
 */
record SkippedTest(String name, String reason) {

    private static final String PREFIX_OF_JUNIT = "Assumption failed: ";

    static SkippedTest of(TestIdentifier test, String reason) {
        return new SkippedTest(name(test), reason.startsWith(PREFIX_OF_JUNIT) ? reason.substring(PREFIX_OF_JUNIT.length()) : reason);
    }

    private static String name(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        if (source instanceof MethodSource method) {
            String display = test.getDisplayName();
            return method.getClassName() + "#" + method.getMethodName() + (display.startsWith("[") ? display : "");
        }
        return source instanceof ClassSource type ? type.getClassName() : test.getUniqueId();
    }

    @Override
    public String toString() {
        return name + ": " + reason;
    }
}
