package io.kcp.examples.arena.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * A player's secret, which consists of 128 random bits. The player generates it and sends it only to gateways.
 *
 * @param high the first half
 * @param low  the second half
 */
public record Token(long high, long low) {

    private static final int HASH_BYTES = 12;

    /**
     * Generates a random token.
     *
     * @param random source of the bits
     * @return a new token
     */
    public static Token random(SecureRandom random) {
        return new Token(random.nextLong(), random.nextLong());
    }

    /**
     * Returns the public login of a player with this token. It consists of the name, {@code ~} and a hash that does not reveal the token.
     *
     * @param name the player's name
     * @return the login
     */
    public String login(String name) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(name.getBytes(StandardCharsets.UTF_8));
            byte[] hash = digest.digest(ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array());
            return name + '~' + HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("SHA-256 is missing, although every Java platform must provide it", impossible);
        }
    }

    /** Returns a text that does not contain the secret. */
    @Override
    public String toString() {
        return "Token";
    }
}
