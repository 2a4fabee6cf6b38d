package io.kcp.examples;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Creates message digests for SHA-256, an algorithm that every Java platform supports. */
final class Sha256 {

    static final int BYTES = 32;

    private Sha256() {
    }

    static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
