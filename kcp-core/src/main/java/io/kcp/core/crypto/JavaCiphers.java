package io.kcp.core.crypto;

import java.security.GeneralSecurityException;
import javax.crypto.Cipher;

/** The way to {@code javax.crypto}, whose checked exceptions mean a broken Java installation or a mistake of ours. */
final class JavaCiphers {

    private JavaCiphers() {
    }

    static Cipher named(String transformation) {
        try {
            return Cipher.getInstance(transformation);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + transformation, e);
        }
    }

    static IllegalStateException impossible(GeneralSecurityException cause) {
        return new IllegalStateException("a cipher refused what it must accept", cause);
    }
}
