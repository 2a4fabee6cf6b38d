package io.kcp.test;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The leaks that were reported in this JVM, or by a child process that a test of this JVM started. */
final class LeakReports {

    /** Stack frames below a test method, which are equal for all tests. */
    private static final Pattern FRAMEWORK_FRAME = Pattern.compile(
        "\\s+(org\\.junit\\.|org\\.apache\\.maven\\.|java\\.base/(jdk\\.internal\\.reflect|java\\.lang\\.reflect|java\\.util)\\.).*");

    private static final List<String> REPORTS = new ArrayList<>();

    private LeakReports() {
    }

    /** Adds a report, which fails the run of the tests: the type of the leaked resource, and the records of its accesses. */
    static void add(String report) {
        String shortened = report.lines().filter(line -> !FRAMEWORK_FRAME.matcher(line).matches()).collect(Collectors.joining("\n"));
        synchronized (REPORTS) {
            REPORTS.add(shortened);
        }
    }

    /** Returns a message that contains all reports, or an empty list without reports. */
    static List<String> failures() {
        synchronized (REPORTS) {
            return REPORTS.isEmpty() ? List.of() : List.of(REPORTS.size() + " leaks were reported in this JVM or its child processes:\n"
                + String.join("\n", REPORTS));
        }
    }
}
