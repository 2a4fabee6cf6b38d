package io.kcp.examples.arena.wire;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.nio.ByteBuffer;

/**
 * What a player comes back by: 128 random bits that only it and the gateways know. Does not show itself.
 *
 * @param high the first half
 * @param low  the second half
 */
public record Token(long high, long low) {

    /** Bytes of a token. */
    public static final int LENGTH = 16;
    /** What stands between a name and the mark of a login. */
    static final char LOGIN_SEPARATOR = '~';
    /** Hex digits: 96 bits, so that nobody finds a token that makes the login of somebody else. */
    static final int MARK_LENGTH = 24;

    /**
     * Draws one.
     *
     * @param random where from
     * @return a new token
     */
    public static Token random(SecureRandom random) {
        return new Token(random.nextLong(), random.nextLong());
    }

    /**
     * Returns the bytes.
     *
     * @return a new array
     */
    public byte[] bytes() {
        return ByteBuffer.allocate(LENGTH).putLong(high).putLong(low).array();
    }

    /**
     * Names the login that a player has by this token: it begins with the name, and nobody can tell the token from it.
     *
     * @param name the player's name
     * @return the login
     */
    public String login(String name) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(name.getBytes(StandardCharsets.UTF_8));
            return name + LOGIN_SEPARATOR + HexFormat.of().formatHex(digest.digest(bytes()), 0, MARK_LENGTH / 2);
        } catch (NoSuchAlgorithmException cannotBe) {
            throw new IllegalStateException("every Java has SHA-256", cannotBe);
        }
    }

    @Override
    public String toString() {
        return "Token";
    }
}
