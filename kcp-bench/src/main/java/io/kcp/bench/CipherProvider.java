package io.kcp.bench;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import io.kcp.core.crypto.CryptoConfig;
import org.conscrypt.Conscrypt;

/** Where the AEADs of {@code javax.crypto} come from. */
public enum CipherProvider {

    /** As it is without asking for anything. */
    JDK {
        @Override
        CryptoConfig apply(CryptoConfig config) {
            return config;
        }
    },
    /** Amazon Corretto Crypto Provider, which has AES-GCM. */
    CORRETTO {
        @Override
        CryptoConfig apply(CryptoConfig config) {
            return config.withProvider(AmazonCorrettoCryptoProvider.INSTANCE);
        }
    },
    /** Conscrypt, which has AES-GCM and ChaCha20-Poly1305. */
    CONSCRYPT {
        @Override
        CryptoConfig apply(CryptoConfig config) {
            return config.withProvider(Conscrypt.newProvider());
        }
    };

    abstract CryptoConfig apply(CryptoConfig config);
}
