package io.kcp.examples.arena.wire;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.CharBuffer;
import java.util.regex.Pattern;

/** What names, texts and numbers may be. */
final class Limits {

    static final int MAX_NAME_LENGTH = 20;
    static final int MAX_LOGIN_LENGTH = MAX_NAME_LENGTH + 1 + Token.MARK_LENGTH;
    /** What pods of Kubernetes are called fits. */
    static final int MAX_GATEWAY_LENGTH = 63;
    static final int MAX_TEXT_BYTES = 500;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1," + MAX_NAME_LENGTH + '}');
    private static final Pattern GATEWAY = Pattern.compile("[A-Za-z0-9._-]{1," + MAX_GATEWAY_LENGTH + '}');
    private static final Pattern LOGIN =
        Pattern.compile("[A-Za-z0-9._-]{1," + MAX_NAME_LENGTH + '}' + Token.LOGIN_SEPARATOR + "[0-9a-f]{" + Token.MARK_LENGTH + '}');

    private Limits() {
    }

    static void name(String what, String name) {
        name(what, name, NAME, MAX_NAME_LENGTH);
    }

    static void gateway(String what, String name) {
        name(what, name, GATEWAY, MAX_GATEWAY_LENGTH);
    }

    private static void name(String what, String name, Pattern pattern, int maxLength) {
        if (!pattern.matcher(name).matches()) {
            throw new IllegalArgumentException(
                what + ": '" + name + "' (expected: 1 to " + maxLength + " letters, digits, dots, dashes and underscores)");
        }
    }

    static void login(String what, String login) {
        if (!LOGIN.matcher(login).matches()) {
            throw new IllegalArgumentException(
                what + ": '" + login + "' (expected: a name, '" + Token.LOGIN_SEPARATOR + "' and " + Token.MARK_LENGTH + " hex digits)");
        }
    }

    static void text(String what, String text) {
        int bytes;
        try {
            bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)).remaining();
        } catch (CharacterCodingException halfCharacter) {
            throw new IllegalArgumentException(what + ": half of a character in it (expected: Unicode)", halfCharacter);
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
