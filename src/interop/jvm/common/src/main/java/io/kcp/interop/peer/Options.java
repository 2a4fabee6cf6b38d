package io.kcp.interop.peer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Parses the command line {@code server|client [--name value]...}. A name without a value is a switch. */
public final class Options {

    private static final int BULK_BYTES = 16384;
    private static final int MESSAGE_BYTES = 64;
    /** Maximum size of a write that counts as a message. Longer writes are bulk data. */
    private static final int SMALL_BYTES = 1024;

    /** Names of the options that every program accepts, even if the scenario or the library ignores them. */
    private static final Set<String> COMMON = Set.of("work", "listen", "connect", "connections", "write-bytes", "outstanding", "warmup",
        "seconds", "warmup-count", "count", "sessions", "rate", "threads", "window", "mtu", "sockbuf", "nodelay", "interval", "resend",
        "nc");

    private final boolean server;
    private final Map<String, String> values = new HashMap<>();
    private final Set<String> unread = new HashSet<>();

    Options(String[] arguments) {
        if (arguments.length == 0 || !arguments[0].equals("server") && !arguments[0].equals("client")) {
            throw new IllegalArgumentException("the first argument must be server or client");
        }
        server = arguments[0].equals("server");
        for (int i = 1; i < arguments.length; i++) {
            if (!arguments[i].startsWith("--")) {
                throw new IllegalArgumentException("unexpected argument " + arguments[i]);
            }
            String name = arguments[i].substring(2);
            boolean alone = i + 1 == arguments.length || arguments[i + 1].startsWith("--");
            values.put(name, alone ? "true" : arguments[++i]);
            if (!COMMON.contains(name)) {
                unread.add(name);
            }
        }
    }

    boolean server() {
        return server;
    }

    public String text(String name, String otherwise) {
        unread.remove(name);
        return values.getOrDefault(name, otherwise);
    }

    public int number(String name, int otherwise) {
        return Integer.parseInt(text(name, Integer.toString(otherwise)));
    }

    public double real(String name, double otherwise) {
        return Double.parseDouble(text(name, Double.toString(otherwise)));
    }

    public boolean flag(String name, boolean otherwise) {
        return Boolean.parseBoolean(text(name, Boolean.toString(otherwise)));
    }

    public String work() {
        return text("work", "");
    }

    public int writeBytes() {
        boolean bulk = work().equals("source") || work().equals("echo");
        return number("write-bytes", bulk ? BULK_BYTES : MESSAGE_BYTES);
    }

    /** Returns {@code true} if the protocol must preserve the boundaries of the client's writes. */
    public boolean messages() {
        return writeBytes() <= SMALL_BYTES;
    }

    public int port() {
        return number("connect", 0);
    }

    /** Returns the address of the server. */
    public String host() {
        return text("host", "127.0.0.1");
    }

    public int threads() {
        return number("threads", Runtime.getRuntime().availableProcessors());
    }

    double warmup() {
        return real("warmup", 1);
    }

    double seconds() {
        return real("seconds", 5);
    }

    /** Throws an exception if the command line has an option that the program has not read. Call this method after the setup. */
    void checkAllRead() {
        if (!unread.isEmpty()) {
            throw new IllegalArgumentException("unknown options " + unread);
        }
    }
}
