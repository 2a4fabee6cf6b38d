package io.kcp.spring.properties;

import io.kcp.core.crypto.CryptoConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.util.StringUtils;

/** Makes a cipher of properties. No message has any part of a key in it. */
final class CryptSettings {

    private static final Log LOG = LogFactory.getLog(CryptSettings.class);
    private static final String HEX = "hex:";
    private static final Set<String> KEYLESS = Set.of("none", "null");
    private static final String TYPE = "crypt.type";
    private static final String KEY = "crypt.key";
    private static final String KEY_FILE = "crypt.key-file";
    /** Shorter passwords are found by trying all of them, from one recorded datagram. */
    private static final int MIN_PASSWORD_CHARACTERS = 8;
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}]*)}");
    private static final Pattern PLACEHOLDER_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*");

    private final PropertyReader reader;
    private final KcpCryptProperties properties;

    CryptSettings(PropertyReader reader, KcpCryptProperties properties) {
        this.reader = reader;
        this.properties = properties;
    }

    @Nullable CryptoConfig crypto() {
        String type = set(properties.getType());
        if (type != null && KEYLESS.contains(type)) {
            return CryptoConfig.of(type, new byte[0]);
        }
        String key = key();
        if (type == null) {
            if (key != null) {
                throw reader.mistake(TYPE, "it is not set, and there is a key", "Set it to one of " + CryptoConfig.names(), null);
            }
            if (properties.getKey() != null && properties.getType() == null) {
                throw reader.mistake(KEY, "it is empty, so datagrams would not be encrypted",
                    "Set it and " + reader.name(TYPE) + ", or neither", null);
            }
            return null;
        }
        if (!CryptoConfig.names().contains(type)) {
            throw reader.mistake(TYPE, "\"" + type + "\" is no cipher", "Use one of " + CryptoConfig.names(), null);
        }
        if (key == null) {
            throw reader.mistake(KEY, (properties.getKey() == null ? "it is not set" : "it is empty") + ", and the cipher " + type
                + " needs one", "Set it to the password of the peers, or to \"hex:\" and the digits of the key, or set "
                    + reader.name(KEY_FILE), null);
        }
        try {
            return reader.checked(source(), () -> of(type, key),
                "Give the key the length that the cipher expects, two hexadecimal digits a byte, or set a password without \"hex:\"");
        } catch (IllegalStateException libraryMissing) {
            throw reader.mistake(TYPE, String.valueOf(libraryMissing.getMessage()), "Add it, or use another cipher", libraryMissing);
        }
    }

    private CryptoConfig of(String type, String key) {
        if (key.startsWith(HEX)) {
            return CryptoConfig.of(type, bytes(key));
        }
        if (key.length() < MIN_PASSWORD_CHARACTERS) {
            LOG.warn(reader.name(source()) + " has fewer than " + MIN_PASSWORD_CHARACTERS + " characters: such a password can be guessed "
                + "from one recorded datagram. Set a longer one on both sides, or a random key after \"hex:\".");
        }
        return CryptoConfig.kcptun(type, key);
    }

    /** Name of the property that has the key. */
    private String source() {
        return properties.getKeyFile() == null ? KEY : KEY_FILE;
    }

    private byte[] bytes(String key) {
        try {
            return HexFormat.of().parseHex(key.substring(HEX.length()));
        } catch (IllegalArgumentException notHex) {
            // Not the cause: that quotes the digits.
            throw reader.mistake(source(), "what follows \"hex:\" is not hexadecimal", "Use two digits 0 to 9 or a to f for each byte",
                null);
        }
    }

    private @Nullable String key() {
        Resource file = properties.getKeyFile();
        String key = set(properties.getKey());
        if (file != null) {
            if (key != null) {
                throw reader.mistake(KEY, "it is set, and " + reader.name(KEY_FILE) + " is too", "Set one of them", null);
            }
            key = read(file);
        }
        if (key != null) {
            requireResolved(key);
        }
        return key;
    }

    private String read(Resource file) {
        String key;
        try {
            key = set(file.getContentAsString(StandardCharsets.UTF_8).strip());
        } catch (IOException unreadable) {
            throw reader.mistake(KEY_FILE, file.getDescription() + " cannot be read",
                "Name a file that this process may read, such as file:/etc/game/kcp.key", unreadable);
        }
        if (key == null) {
            throw reader.mistake(KEY_FILE, "it is empty: " + file.getDescription(), "Write the password into it, or \"hex:\" and the "
                + "digits of the key", null);
        }
        return key;
    }

    /** Spring leaves a placeholder that it cannot resolve as it is, and everybody can guess that text. */
    private void requireResolved(String key) {
        Matcher placeholder = PLACEHOLDER.matcher(key);
        if (!placeholder.find()) {
            return;
        }
        String name = placeholder.group(1);
        boolean whole = placeholder.group().equals(key) && PLACEHOLDER_NAME.matcher(name).matches();
        throw reader.mistake(source(), (whole ? "the placeholder " + key : "a placeholder") + " in it was not resolved",
            (whole ? "Set the environment variable or property " + name : "Set what the placeholder names")
                + "; a password cannot contain \"${\"", null);
    }

    /** An empty value, of an unset environment variable perhaps, is none. */
    private static @Nullable String set(@Nullable String value) {
        return StringUtils.hasText(value) ? value : null;
    }
}
