package io.kcp.tools.tunnel;

import java.io.PrintWriter;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Prints lines with the date and the time, in the format of kcptun. Thread safe. */
final class TunnelLog {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy/MM/dd HH:mm:ss", Locale.ROOT);

    private final PrintWriter out;
    private final boolean quiet;

    /**
     * Creates a log.
     *
     * @param out   the writer, which this class flushes after each line and never closes
     * @param quiet {@code true} to suppress the messages about single streams
     */
    TunnelLog(PrintWriter out, boolean quiet) {
        this.out = out;
        this.quiet = quiet;
    }

    void info(String message) {
        out.println(LocalDateTime.now(ZoneId.systemDefault()).format(TIME) + ' ' + message);
        out.flush();
    }

    /** Prints a message about a single stream, unless the log is quiet. */
    void stream(String message) {
        if (!quiet) {
            info(message);
        }
    }
}
