package io.kcp.bench;

import java.io.PrintStream;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One flat JSON object on a line, {@code event} first, as the live peers print them too. */
final class JsonLine {

    private final StringBuilder text = new StringBuilder();

    private JsonLine() {
    }

    /** Starts a line. */
    static JsonLine event(String event) {
        return new JsonLine().put("event", event);
    }

    JsonLine put(String name, String value) {
        return raw(name, Json.quote(value));
    }

    JsonLine put(String name, long value) {
        return raw(name, Long.toString(value));
    }

    /** Three decimals; figures that are not there become null. */
    JsonLine put(String name, double value) {
        return raw(name, Double.isFinite(value) ? String.format(Locale.ROOT, "%.3f", value) : "null");
    }

    private JsonLine raw(String name, String value) {
        text.append(text.isEmpty() ? "{\"" : ",\"").append(name).append("\":").append(value);
        return this;
    }

    void print() {
        printTo(System.out);
    }

    void printTo(PrintStream out) {
        out.println(this);
    }

    @Override
    public String toString() {
        return text + "}";
    }

    /** Whether a line is that event. */
    static boolean isEvent(String line, String event) {
        return line.startsWith("{\"event\":\"" + event + '"');
    }

    /** Reads a number, NaN if there is none of that name. */
    static double number(String line, String name) {
        Matcher matcher = Pattern.compile('"' + name + "\":([-+.0-9eE]+)").matcher(line);
        return matcher.find() ? Double.parseDouble(matcher.group(1)) : Double.NaN;
    }
}
