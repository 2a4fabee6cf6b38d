package io.kcp.bench.rig;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/** Histogram, by class, of the live objects in this process, as printed by {@code jcmd GC.class_histogram}. */
public record ClassHistogram(Map<String, Count> counts) {

    private static final Pattern LINE = Pattern.compile("(?m)^ *\\d+: +(\\d+) +(\\d+) +(\\S+)");
    private static final Count NONE = new Count(0, 0);

    /** Number and total size of the instances of one class. */
    public record Count(long instances, long bytes) {
    }

    /** Counts the live objects, which runs a full garbage collection. */
    public static ClassHistogram take() {
        Map<String, Count> counts = new HashMap<>();
        Matcher matcher = LINE.matcher(diagnosticCommand());
        while (matcher.find()) {
            counts.put(matcher.group(3), new Count(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))));
        }
        return new ClassHistogram(counts);
    }

    /** Returns the total size of all live objects in bytes. */
    public long totalBytes() {
        return counts.values().stream().mapToLong(Count::bytes).sum();
    }

    private static String diagnosticCommand() {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {new String[0]}, new String[] {String[].class.getName()});
        } catch (JMException failure) {
            throw new IllegalStateException("cannot take a class histogram", failure);
        }
    }

    /** Prints the classes whose live bytes have grown most since an earlier histogram, in descending order of this growth. */
    public void printGrowth(ClassHistogram earlier, int rows, PrintStream out) {
        Map<String, Count> growth = new HashMap<>();
        counts.forEach((name, now) -> {
            Count before = earlier.counts.getOrDefault(name, NONE);
            growth.put(name, new Count(now.instances - before.instances, now.bytes - before.bytes));
        });
        out.printf("%14s %14s  %s%n", "added bytes", "added objects", "class");
        growth.entrySet().stream().sorted((a, b) -> Long.compare(b.getValue().bytes, a.getValue().bytes)).limit(rows)
            .forEach(entry -> out.printf("%14d %14d  %s%n", entry.getValue().bytes, entry.getValue().instances, entry.getKey()));
    }
}
