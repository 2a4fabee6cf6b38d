package io.kcp.interop.peer;

import java.util.Locale;

/** Builds a JSON object on one line. The first member of the object is {@code event}, and no member is an object or array. */
final class JsonLine {

    private final StringBuilder text = new StringBuilder();

    private JsonLine() {
    }

    static JsonLine event(String event) {
        return new JsonLine().put("event", event);
    }

    JsonLine put(String name, String value) {
        StringBuilder escaped = new StringBuilder().append('"');
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                escaped.append('\\').append(c);
            } else {
                escaped.append(c < ' ' ? ' ' : c);
            }
        }
        return raw(name, escaped.append('"').toString());
    }

    JsonLine put(String name, long value) {
        return raw(name, Long.toString(value));
    }

    JsonLine put(String name, double value) {
        return raw(name, Double.isFinite(value) ? String.format(Locale.ROOT, "%.3f", value) : "null");
    }

    private JsonLine raw(String name, String value) {
        text.append(text.isEmpty() ? "{\"" : ",\"").append(name).append("\":").append(value);
        return this;
    }

    void print() {
        System.out.println(this);
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
