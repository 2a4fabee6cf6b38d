package io.kcp.bench;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/** Live bytes by class: what {@code jcmd GC.class_histogram} prints, asked of this process. */
final class ClassHistogram {

    private static final Pattern LINE = Pattern.compile("(?m)^ *\\d+: +(\\d+) +(\\d+) +(\\S+)");

    /** Instances of one class and their bytes. */
    record Count(long instances, long bytes) {
    }

    private final Map<String, Count> counts = new HashMap<>();

    private ClassHistogram() {
    }

    static ClassHistogram take() {
        ClassHistogram histogram = new ClassHistogram();
        Matcher matcher = LINE.matcher(ask());
        while (matcher.find()) {
            histogram.counts.put(matcher.group(3),
                new Count(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))));
        }
        return histogram;
    }

    private static String ask() {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {new String[0]}, new String[] {String[].class.getName()});
        } catch (JMException failure) {
            throw new IllegalStateException("no class histogram", failure);
        }
    }

    /** Prints the classes that grew most since an earlier histogram. */
    void printGrowth(ClassHistogram earlier, int rows, PrintStream out) {
        out.printf("%14s %14s  %s%n", "bytes more", "objects more", "class");
        counts.entrySet().stream()
            .sorted((a, b) -> Long.compare(growth(earlier, b).bytes, growth(earlier, a).bytes))
            .limit(rows)
            .forEach(entry -> {
                Count growth = growth(earlier, entry);
                out.printf("%14d %14d  %s%n", growth.bytes, growth.instances, entry.getKey());
            });
    }

    private static Count growth(ClassHistogram earlier, Map.Entry<String, Count> now) {
        Count before = earlier.counts.getOrDefault(now.getKey(), new Count(0, 0));
        return new Count(now.getValue().instances - before.instances, now.getValue().bytes - before.bytes);
    }
}
