package io.kcp.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON: objects are maps in their order, arrays lists, numbers doubles. For files of our own, not for what
 * others may have made up.
 */
final class Json {

    private static final String INDENT = "  ";
    private static final int UNICODE_DIGITS = 4;
    private static final int HEX = 16;

    private final String text;
    private int position;

    private Json(String text) {
        this.text = text;
    }

    /** Reads one value; throws {@code IllegalArgumentException} with the position if it is not JSON. */
    static @Nullable Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.skipSpace();
        if (json.position < text.length()) {
            throw json.wrong("the end");
        }
        return value;
    }

    /** Reads an object. */
    @SuppressWarnings("unchecked")
    static Map<String, @Nullable Object> parseObject(String text) {
        if (parse(text) instanceof Map<?, ?> object) {
            return (Map<String, @Nullable Object>) object;
        }
        throw new IllegalArgumentException("no JSON object");
    }

    private @Nullable Object value() {
        skipSpace();
        char next = peek();
        return switch (next) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        position++;
        if (!skip('}')) {
            do {
                skipSpace();
                String name = string();
                require(':');
                object.put(name, value());
            } while (skip(','));
            require('}');
        }
        return object;
    }

    private List<@Nullable Object> array() {
        List<@Nullable Object> array = new ArrayList<>();
        position++;
        if (!skip(']')) {
            do {
                array.add(value());
            } while (skip(','));
            require(']');
        }
        return array;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        if (peek() != '"') {
            throw wrong("a string");
        }
        position++;
        while (peek() != '"') {
            char character = text.charAt(position++);
            string.append(character == '\\' ? escaped() : character);
        }
        position++;
        return string.toString();
    }

    private char escaped() {
        char character = peek();
        position++;
        return switch (character) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                if (position + UNICODE_DIGITS > text.length()) {
                    throw wrong("four digits");
                }
                position += UNICODE_DIGITS;
                yield (char) Integer.parseInt(text.substring(position - UNICODE_DIGITS, position), HEX);
            }
            default -> character;
        };
    }

    private @Nullable Object word(String word, @Nullable Object value) {
        if (!text.startsWith(word, position)) {
            throw wrong("a value");
        }
        position += word.length();
        return value;
    }

    private Double number() {
        int start = position;
        while (position < text.length() && "+-.0123456789eE".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
        try {
            return Double.valueOf(text.substring(start, position));
        } catch (NumberFormatException notANumber) {
            position = start;
            throw wrong("a value");
        }
    }

    private void skipSpace() {
        while (position < text.length() && Character.isWhitespace(text.charAt(position))) {
            position++;
        }
    }

    private boolean skip(char wanted) {
        skipSpace();
        if (peek() != wanted) {
            return false;
        }
        position++;
        return true;
    }

    private void require(char wanted) {
        if (!skip(wanted)) {
            throw wrong("'" + wanted + '\'');
        }
    }

    private char peek() {
        if (position >= text.length()) {
            throw wrong("more");
        }
        return text.charAt(position);
    }

    private IllegalArgumentException wrong(String expected) {
        return new IllegalArgumentException("JSON at character " + position + " (expected: " + expected + ')');
    }

    /** Writes a value of the kinds that {@link #parse} returns, or other numbers; objects and arrays that hold some indented. */
    static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        write(value, "\n", out);
        return out.append('\n').toString();
    }

    private static void write(@Nullable Object value, String indent, StringBuilder out) {
        if (value instanceof Map<?, ?> object) {
            boolean flat = object.values().stream().noneMatch(Json::isNested);
            String separator = "{";
            for (Map.Entry<?, ?> entry : object.entrySet()) {
                out.append(separator).append(flat ? "" : indent + INDENT).append(quote(String.valueOf(entry.getKey()))).append(": ");
                write(entry.getValue(), indent + INDENT, out);
                separator = flat ? ", " : ",";
            }
            out.append(object.isEmpty() ? "{" : flat ? "" : indent).append('}');
        } else if (value instanceof List<?> array) {
            boolean flat = array.stream().noneMatch(Json::isNested);
            String separator = "[";
            for (Object element : array) {
                out.append(separator).append(flat ? "" : indent + INDENT);
                write(element, indent + INDENT, out);
                separator = flat ? ", " : ",";
            }
            out.append(array.isEmpty() ? "[" : flat ? "" : indent).append(']');
        } else {
            out.append(value instanceof String string ? quote(string) : scalar(value));
        }
    }

    private static boolean isNested(@Nullable Object value) {
        return value instanceof Map || value instanceof List;
    }

    private static String scalar(@Nullable Object value) {
        if (value instanceof Double number) {
            return number(number);
        }
        return String.valueOf(value);
    }

    /** At most six decimals; what is no number becomes null. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            return "null";
        }
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return Long.toString((long) value);
        }
        return String.format(Locale.ROOT, "%.6f", value).replaceAll("0+$", "");
    }

    /** A string in quotation marks. */
    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            switch (character) {
                case '"', '\\' -> out.append('\\').append(character);
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                case '\r' -> out.append("\\r");
                default -> {
                    if (character < ' ') {
                        out.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
                    } else {
                        out.append(character);
                    }
                }
            }
        }
        return out.append('"').toString();
    }
}
