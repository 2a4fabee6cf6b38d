package io.kcp.test;

import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Fails the test run of a JVM in which a buffer leaked, and with {@code -Dkcp.skips=fail}, one in which a test was skipped that
 * {@code allowed-skips.txt} does not list. JUnit finds this class through {@code META-INF/services}. Surefire reports the error as "There
 * was an error in the forked process", and the build fails.
 */
public final class TestRunChecks implements LauncherSessionListener {

    /** The build sets the level. Mutation tests and IDEs do not; they may open a session for each test. */
    private static final boolean LEVEL_IS_SET = System.getProperty("io.netty.leakDetection.level") != null;
    private static final boolean SKIPS_FAIL = "fail".equals(System.getProperty("kcp.skips"));

    private final SkipRecorder skips = new SkipRecorder();
    private @Nullable ListeningLeakDetectors detectors;
    private @Nullable IllegalStateException notInstalled;

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        // Maven's own process opens sessions that only discover tests.
        session.getLauncher().registerTestExecutionListeners(skips, new TestExecutionListener() {
            @Override
            public void testPlanExecutionStarted(TestPlan plan) {
                if (detectors == null && LEVEL_IS_SET) {
                    try {
                        detectors = ListeningLeakDetectors.install((type, records) -> LeakReports.add("LEAK: " + type + records));
                    } catch (IllegalStateException tooLate) {
                        // JUnit would only log an exception of a listener.
                        notInstalled = tooLate;
                    }
                }
            }
        });
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        List<String> failures = new ArrayList<>();
        if (notInstalled != null) {
            failures.add("Leaks were not detected: " + notInstalled.getMessage());
        }
        if (detectors != null) {
            if (ResourceLeakDetector.isEnabled()) {
                detectors.reportUnreachable();
            }
            failures.addAll(LeakReports.failures());
        }
        if (SKIPS_FAIL) {
            failures.addAll(skips.failures(AllowedSkips.load()));
        }
        if (!failures.isEmpty()) {
            throw new AssertionError(String.join("\n", failures));
        }
    }
}
