package io.kcp.spring;

import io.kcp.core.crypto.CryptoConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.util.StringUtils;

/** Makes a cipher of properties. No message has any part of a key in it. */
final class CryptSettings {

    private static final String HEX = "hex:";
    private static final Set<String> KEYLESS = Set.of("none", "null");
    private static final String TYPE = "crypt.type";
    private static final String KEY = "crypt.key";

    private final PropertyReader reader;
    private final KcpCryptProperties properties;

    CryptSettings(PropertyReader reader, KcpCryptProperties properties) {
        this.reader = reader;
        this.properties = properties;
    }

    @Nullable CryptoConfig crypto() {
        String type = set(properties.getType());
        String key = key();
        if (type == null) {
            if (key != null) {
                throw reader.mistake(TYPE, "it is not set, and there is a key", "Set it to one of " + CryptoConfig.names(), null);
            }
            return null;
        }
        if (!CryptoConfig.names().contains(type)) {
            throw reader.mistake(TYPE, "\"" + type + "\" is no cipher", "Use one of " + CryptoConfig.names(), null);
        }
        if (KEYLESS.contains(type)) {
            return CryptoConfig.of(type, new byte[0]);
        }
        if (key == null) {
            throw reader.mistake(KEY, "it is not set, and the cipher " + type + " needs one",
                "Set it to the password of the peers, or to \"hex:\" and the digits of the key, or set "
                    + reader.name("crypt.key-file"), null);
        }
        try {
            return reader.checked(KEY, () -> key.startsWith(HEX) ? CryptoConfig.of(type, bytes(key)) : CryptoConfig.kcptun(type, key));
        } catch (IllegalStateException libraryMissing) {
            throw reader.mistake(TYPE, String.valueOf(libraryMissing.getMessage()), "Add it, or use another cipher", libraryMissing);
        }
    }

    private byte[] bytes(String key) {
        try {
            return HexFormat.of().parseHex(key.substring(HEX.length()));
        } catch (IllegalArgumentException notHex) {
            // Not the cause: that quotes the digits.
            throw reader.mistake(KEY, "what follows \"hex:\" is not hexadecimal", "Use two digits 0 to 9 or a to f for each byte", null);
        }
    }

    private @Nullable String key() {
        Resource file = properties.getKeyFile();
        if (file == null) {
            return set(properties.getKey());
        }
        if (set(properties.getKey()) != null) {
            throw reader.mistake(KEY, "it is set, and " + reader.name("crypt.key-file") + " is too", "Set one of them", null);
        }
        try {
            return set(file.getContentAsString(StandardCharsets.UTF_8).strip());
        } catch (IOException unreadable) {
            throw reader.mistake("crypt.key-file", file.getDescription() + " cannot be read",
                "Name a file that this process may read, such as file:/etc/game/kcp.key", unreadable);
        }
    }

    /** An empty value, of an unset environment variable perhaps, is none. */
    private static @Nullable String set(@Nullable String value) {
        return StringUtils.hasText(value) ? value : null;
    }
}
