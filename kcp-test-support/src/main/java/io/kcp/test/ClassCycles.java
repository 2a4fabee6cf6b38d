package io.kcp.test;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Finds the classes of a package that depend on each other in a cycle. The dependencies are those of the bytecode, as {@code jdeps} prints
 * them, and a nested class counts as its outermost class.
 */
public final class ClassCycles {

    private static final Pattern DEPENDENCY = Pattern.compile("\\s+([\\w.$]+)\\s+->\\s+([\\w.$]+)\\s.*");

    /** For each class, the classes of the same package that it uses. */
    private final Map<String, Set<String>> uses = new TreeMap<>();

    private ClassCycles() {
    }

    /**
     * Returns the cycles among the classes that were compiled together with a class.
     *
     * @param type    the class, in a directory of class files
     * @param classes the largest number of classes that may form a cycle
     * @return the sets of more than that many classes of which each one reaches all others of its set
     */
    public static List<Set<String>> ofMoreThan(int classes, Class<?> type) {
        ClassCycles cycles = new ClassCycles();
        cycles.read(type);
        return cycles.find().stream().filter(cycle -> cycle.size() > classes).toList();
    }

    private void read(Class<?> type) {
        StringWriter out = new StringWriter();
        StringWriter errors = new StringWriter();
        List<String> arguments = new ArrayList<>(List.of("-verbose:class", "-filter:none", "--ignore-missing-deps"));
        arguments.addAll(classFiles(type));
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow(() -> new IllegalStateException("This JVM has no jdeps"));
        int status = jdeps.run(new PrintWriter(out), new PrintWriter(errors), arguments.toArray(String[]::new));
        if (status != 0) {
            throw new IllegalStateException("jdeps ended with " + status + ": " + errors + out);
        }
        out.toString().lines().map(DEPENDENCY::matcher).filter(Matcher::matches).forEach(line -> add(line.group(1), line.group(2)));
    }

    private static List<String> classFiles(Class<?> type) {
        try {
            Path directory = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
            try (Stream<Path> files = Files.walk(directory)) {
                return files.map(Path::toString).filter(name -> name.endsWith(".class") && !name.endsWith("module-info.class"))
                    .sorted().toList();
            }
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private void add(String user, String used) {
        String from = outermost(user);
        String to = outermost(used);
        if (!from.equals(to) && packageOf(from).equals(packageOf(to))) {
            uses.computeIfAbsent(from, any -> new TreeSet<>()).add(to);
        }
    }

    private static String outermost(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static String packageOf(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }

    private List<Set<String>> find() {
        List<Set<String>> cycles = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (String type : uses.keySet()) {
            if (!seen.contains(type)) {
                Set<String> cycle = new TreeSet<>(reachable(type));
                cycle.removeIf(other -> !reachable(other).contains(type));
                seen.addAll(cycle);
                if (cycle.contains(type)) {
                    cycles.add(cycle);
                }
            }
        }
        return cycles;
    }

    /** Returns the classes that a class uses, directly or through others. It is among them if it is part of a cycle. */
    private Set<String> reachable(String type) {
        Set<String> reached = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(uses.getOrDefault(type, Set.of()));
        for (String next = open.poll(); next != null; next = open.poll()) {
            if (reached.add(next)) {
                open.addAll(uses.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }
}
