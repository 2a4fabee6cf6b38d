package io.kcp.bench.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * CPU time of all processors since the start of a virtual machine, and the part of it for which a processor was ready to run but the host
 * ran something else. Linux reports this part as {@code steal} in {@code /proc/stat}.
 */
record StolenTime(long stolenTicks, long totalTicks) {

    /** Results of a run are unreliable if the host took more than this share of the CPU time. */
    static final double MAX_PERCENT = 2;

    private static final StolenTime UNKNOWN = new StolenTime(0, 0);
    private static final String ALL_PROCESSORS = "cpu ";
    /** Position of the steal time in the line. Later fields are already included in earlier ones. */
    private static final int STEAL_FIELD = 7;

    /** Returns the current time. The time is unknown on systems other than Linux. */
    static StolenTime now() {
        return read(Path.of("/proc/stat"));
    }

    /** Reads a file with the format of {@code /proc/stat}. */
    static StolenTime read(Path file) {
        try {
            List<String> lines = Files.readAllLines(file);
            return lines.isEmpty() || !lines.get(0).startsWith(ALL_PROCESSORS) ? UNKNOWN
                : of(lines.get(0).substring(ALL_PROCESSORS.length()).strip().split(" ", -1));
        } catch (IOException unavailable) {
            return UNKNOWN;
        }
    }

    private static StolenTime of(String... ticks) {
        long total = 0;
        for (int i = 0; i < Math.min(ticks.length, STEAL_FIELD + 1); i++) {
            total += Long.parseLong(ticks[i]);
        }
        return ticks.length > STEAL_FIELD ? new StolenTime(Long.parseLong(ticks[STEAL_FIELD]), total) : UNKNOWN;
    }

    /** Returns the share of the CPU time that the host has taken since this time, in percent. The share is NaN if it is unknown. */
    double percentUntil(StolenTime later) {
        long total = later.totalTicks - totalTicks;
        return totalTicks == 0 || total <= 0 ? Double.NaN : 100.0 * (later.stolenTicks - stolenTicks) / total;
    }

    /** Returns the share of the CPU time that the host has taken from this time until now. */
    double percentUntilNow() {
        return percentUntil(now());
    }

    /** Returns a text with a share, and with a warning if the share is too large. The text is empty if the share is unknown. */
    static String text(double percent) {
        if (Double.isNaN(percent)) {
            return "";
        }
        String number = percent < 10 ? String.format(Locale.ROOT, "%.1f", percent) : String.format(Locale.ROOT, "%.0f", percent);
        return "CPU taken by the host: " + number + " %" + (percent > MAX_PERCENT ? " (WARNING: the result is unreliable)" : "");
    }
}
