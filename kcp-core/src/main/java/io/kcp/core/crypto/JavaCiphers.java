package io.kcp.core.crypto;

import java.security.GeneralSecurityException;
import java.security.Provider;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;

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

    /** By {@code provider}, or by the first that Java knows if there is none. */
    static Cipher named(String transformation, @Nullable Provider provider) {
        if (provider == null) {
            return named(transformation);
        }
        try {
            return Cipher.getInstance(transformation, provider);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("provider: " + provider.getName() + " (expected: one that has " + transformation
                + ')', e);
        }
    }

    static IllegalStateException impossible(GeneralSecurityException cause) {
        return new IllegalStateException("a cipher refused what it must accept", cause);
    }
}
