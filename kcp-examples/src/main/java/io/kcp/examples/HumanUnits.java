package io.kcp.examples;

import java.util.Locale;

/** Formats sizes, rates and durations for display. */
final class HumanUnits {

    private static final long KILO = 1000;
    private static final long MEGA = 1_000_000;
    private static final long GIGA = 1_000_000_000;

    private HumanUnits() {
    }

    static String bytes(long bytes) {
        if (bytes < KILO) {
            return bytes + " bytes";
        }
        if (bytes < MEGA) {
            return decimal(bytes / (double) KILO) + " kB";
        }
        return bytes < GIGA ? decimal(bytes / (double) MEGA) + " MB" : decimal(bytes / (double) GIGA) + " GB";
    }

    static String rate(double bytesPerSecond) {
        return String.format(Locale.ROOT, "%.2f MB/s", bytesPerSecond / MEGA);
    }

    static String duration(long seconds) {
        return seconds < 3600
            ? String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60)
            : String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
