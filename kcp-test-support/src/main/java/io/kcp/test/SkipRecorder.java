package io.kcp.test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Records the tests that a condition disabled or whose assumption failed. */
final class SkipRecorder implements TestExecutionListener {

    private final List<SkippedTest> skipped = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        skipped.add(SkippedTest.of(test, reason));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            skipped.add(SkippedTest.of(test, result.getThrowable().map(Throwable::getMessage).orElse("no reason")));
        }
    }

    /** Returns a message that lists the tests that may not be skipped, or an empty list without such tests. */
    List<String> failures(AllowedSkips allowed) {
        List<String> failures;
        synchronized (skipped) {
            failures = skipped.stream().filter(test -> !allowed.contains(test)).map(SkippedTest::toString).toList();
        }
        return failures.isEmpty() ? List.of() : List.of(failures.size() + " tests were skipped that allowed-skips.txt does not list:\n"
            + String.join("\n", failures));
    }
}
