package io.kcp.examples.arena.wire;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Validates the names, texts and numbers in messages. */
public final class Limits {

    static final int MAX_TEXT_BYTES = 500;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,20}");
    /** Pattern of gateway names, which may be as long as the names of Kubernetes pods. */
    private static final Pattern GATEWAY = Pattern.compile("[A-Za-z0-9._-]{1,63}");
    private static final Pattern LOGIN = Pattern.compile("[A-Za-z0-9._-]{1,20}~[0-9a-f]{24}");

    private Limits() {
    }

    static void name(String what, String name) {
        matches(what, name, NAME, "1 to 20 letters, digits, dots, dashes and underscores");
    }

    /**
     * Checks the name of a gateway.
     *
     * @param what the property or field, for the error
     * @param name the name
     * @throws IllegalArgumentException if the name is invalid
     */
    public static void gateway(String what, String name) {
        matches(what, name, GATEWAY, "1 to 63 letters, digits, dots, dashes and underscores");
    }

    static void login(String what, String login) {
        matches(what, login, LOGIN, "a name, '~' and 24 hex digits");
    }

    private static void matches(String what, String value, Pattern pattern, String expected) {
        if (!pattern.matcher(value).matches()) {
            throw new IllegalArgumentException(what + ": '" + value + "' (expected: " + expected + ')');
        }
    }

    static void text(String what, String text) {
        int bytes;
        try {
            bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)).remaining();
        } catch (CharacterCodingException halfCharacter) {
            throw new IllegalArgumentException(what + ": contains an unpaired surrogate (expected: Unicode text)", halfCharacter);
        }
        if (bytes > MAX_TEXT_BYTES) {
            throw new IllegalArgumentException(what + ": " + bytes + " bytes (expected: at most " + MAX_TEXT_BYTES + ')');
        }
    }

    static void positive(String what, long number) {
        if (number < 1) {
            throw new IllegalArgumentException(what + ": " + number + " (expected: at least 1)");
        }
    }
}
