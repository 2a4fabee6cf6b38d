package io.kcp.core.crypto;

import java.security.GeneralSecurityException;
import java.security.Provider;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * Creates ciphers of {@code javax.crypto} and wraps their checked exceptions, which indicate a broken Java installation or a bug in this
 * package.
 */
final class JcaCiphers {

    private JcaCiphers() {
    }

    static Cipher getInstance(String transformation) {
        try {
            return Cipher.getInstance(transformation);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no cipher " + transformation, e);
        }
    }

    /** Returns a cipher of the given provider, or of the first installed provider that offers it if {@code provider} is null. */
    static Cipher getInstance(String transformation, @Nullable Provider provider) {
        if (provider == null) {
            return getInstance(transformation);
        }
        try {
            return Cipher.getInstance(transformation, provider);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("provider: " + provider.getName() + " (expected: a provider of " + transformation + ')', e);
        }
    }

    static IllegalStateException unexpected(GeneralSecurityException cause) {
        return new IllegalStateException("the cipher rejected valid input", cause);
    }
}
