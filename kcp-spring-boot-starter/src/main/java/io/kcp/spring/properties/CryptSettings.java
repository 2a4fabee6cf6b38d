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

/** Creates the cipher configuration from properties. Exceptions and log lines contain no part of a key. */
final class CryptSettings {

    private static final Log LOG = LogFactory.getLog(CryptSettings.class);
    private static final String HEX = "hex:";
    private static final Set<String> KEYLESS = Set.of("none", "null");
    private static final String TYPE = "crypt.type";
    private static final String KEY = "crypt.key";
    private static final String KEY_FILE = "crypt.key-file";
    /**
     * Password length below which a warning is logged, because shorter passwords can be found by brute force from one recorded datagram.
     */
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
                throw reader.invalid(TYPE, "no cipher is set, but a key is", "Set a cipher, one of " + CryptoConfig.names(), null);
            }
            if (properties.getKey() != null && properties.getType() == null) {
                throw reader.invalid(KEY, "the key is empty, so datagrams would not be encrypted",
                    "Set both the key and " + reader.name(TYPE) + ", or neither", null);
            }
            return null;
        }
        if (!CryptoConfig.names().contains(type)) {
            throw reader.invalid(TYPE, "\"" + type + "\" is not a known cipher", "Use one of " + CryptoConfig.names(), null);
        }
        if (key == null) {
            throw reader.invalid(KEY, "the key is " + (properties.getKey() == null ? "not set" : "empty") + ", but the cipher " + type
                + " requires one", "Set it to the password of the peers, or to \"hex:\" and the key as hexadecimal digits, or set "
                    + reader.name(KEY_FILE), null);
        }
        try {
            return reader.checked(source(), () -> of(type, key),
                "Use a key of the length that the cipher requires, two hexadecimal digits per byte, or a password without \"hex:\"");
        } catch (IllegalStateException libraryMissing) {
            throw reader.invalid(TYPE, String.valueOf(libraryMissing.getMessage()), "Add the library, or use a different cipher",
                libraryMissing);
        }
    }

    private CryptoConfig of(String type, String key) {
        if (key.startsWith(HEX)) {
            return CryptoConfig.of(type, bytes(key));
        }
        if (key.length() < MIN_PASSWORD_CHARACTERS) {
            LOG.warn(reader.name(source()) + " has fewer than " + MIN_PASSWORD_CHARACTERS + " characters. An attacker can find such a "
                + "password by brute force from one recorded datagram. Use a longer password or \"hex:\" and a random key on both sides.");
        }
        return CryptoConfig.kcptun(type, key);
    }

    /** Returns the name of the property that contains the key. */
    private String source() {
        return properties.getKeyFile() == null ? KEY : KEY_FILE;
    }

    private byte[] bytes(String key) {
        try {
            return HexFormat.of().parseHex(key.substring(HEX.length()));
        } catch (IllegalArgumentException notHex) {
            // Omits the cause, because the message of the caught exception contains digits of the key.
            throw reader.invalid(source(), "the text after \"hex:\" is not hexadecimal", "Use two digits, 0 to 9 or a to f, for each byte",
                null);
        }
    }

    private @Nullable String key() {
        Resource file = properties.getKeyFile();
        String key = set(properties.getKey());
        if (file != null) {
            if (key != null) {
                throw reader.invalid(KEY, "both this property and " + reader.name(KEY_FILE) + " are set", "Set only one of them", null);
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
            throw reader.invalid(KEY_FILE, file.getDescription() + " cannot be read",
                "Use a file that this process is permitted to read, such as file:/etc/game/kcp.key", unreadable);
        }
        if (key == null) {
            throw reader.invalid(KEY_FILE, file.getDescription() + " is empty", "Write the password into the file, or \"hex:\" and "
                + "the key as hexadecimal digits", null);
        }
        return key;
    }

    /** Rejects a key that contains an unresolved placeholder, because an attacker can guess the placeholder text. */
    private void requireResolved(String key) {
        Matcher placeholder = PLACEHOLDER.matcher(key);
        if (!placeholder.find()) {
            return;
        }
        String name = placeholder.group(1);
        boolean whole = placeholder.group().equals(key) && PLACEHOLDER_NAME.matcher(name).matches();
        throw reader.invalid(source(), (whole ? "the placeholder " + key : "a placeholder in the key") + " was not resolved",
            (whole ? "Set the environment variable or property " + name : "Set the environment variable or property that it names")
                + "; a password cannot contain \"${\"", null);
    }

    /** Returns a property value, or null if it is blank. A placeholder for an unset environment variable may be blank. */
    private static @Nullable String set(@Nullable String value) {
        return StringUtils.hasText(value) ? value : null;
    }
}
