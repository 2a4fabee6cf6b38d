package io.kcp.bench.results;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The sentences below a table that say when, where and how a result file was measured. */
final class Footnote {

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("d MMMM uuuu", Locale.ENGLISH);
    private static final Pattern SYSTEM = Pattern.compile("\\S+ \\d+(?:\\.\\d+)*");
    private static final Pattern VERSION = Pattern.compile("(\\d+(?:\\.\\d+)*)\\S*$");
    private static final int COMMIT_DIGITS = 8;

    private final ResultFile file;

    Footnote(ResultFile file) {
        this.file = file;
    }

    String text() {
        Machine machine = file.machine();
        String software = first(SYSTEM, machine.kernel()) + ", JDK " + version(machine.java())
            + (file.go() == null ? "" : ", Go " + version(file.go()));
        return String.format(Locale.ROOT, "%s. Measured %s with commit %s on %s, %d processors, %s%s. Command: `%s`", runs(), date(),
            Objects.requireNonNull(file.commit()).substring(0, COMMIT_DIGITS), machine.processor(), machine.processors(), software, steal(),
            file.command());
    }

    private String runs() {
        Collection<Long> counts = file.runs().stream().collect(Collectors.groupingBy(ResultFile.Run::cell, Collectors.counting())).values();
        long least = counts.stream().mapToLong(Long::longValue).min().orElse(0);
        long most = counts.stream().mapToLong(Long::longValue).max().orElse(0);
        if (most == 1) {
            return "One run for each value";
        }
        return "Medians of " + (least == most ? "" : least + " to ") + most + " runs";
    }

    private String date() {
        LocalDate first = file.started().atZone(ZoneOffset.UTC).toLocalDate();
        LocalDate last = file.finished().atZone(ZoneOffset.UTC).toLocalDate();
        return first.equals(last) ? "on " + DATE.format(first) : "from " + DATE.format(first) + " to " + DATE.format(last);
    }

    private String steal() {
        OptionalDouble most = file.runs().stream().map(ResultFile.Run::stealPercent).filter(Objects::nonNull)
            .mapToDouble(Double::doubleValue).max();
        return most.isEmpty() ? "" : String.format(Locale.ROOT, "; the host took at most %.1f %% of the CPU time of a run",
            most.getAsDouble());
    }

    private static String version(String text) {
        Matcher version = VERSION.matcher(text);
        return version.find() ? version.group(1) : text;
    }

    private static String first(Pattern pattern, String text) {
        Matcher first = pattern.matcher(text);
        return first.find() ? first.group() : text;
    }
}
