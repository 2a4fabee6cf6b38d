package io.kcp.spring.properties;

import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;

/** Cipher and key of all datagrams. The peers must use the same. */
public class KcpCryptProperties {

    /** Name of the cipher, as in kcp-go and kcptun, such as aes-128-gcm. */
    private @Nullable String type;

    /** Password from which the key is derived, as in kcptun; or "hex:" followed by the key as hexadecimal digits. */
    private @Nullable String key;

    /** File that contains the value of the key property, as an alternative to that property. */
    private @Nullable Resource keyFile;

    /** Creates properties with their default values. */
    public KcpCryptProperties() {
    }

    public @Nullable String getType() {
        return type;
    }

    public void setType(@Nullable String type) {
        this.type = type;
    }

    public @Nullable String getKey() {
        return key;
    }

    public void setKey(@Nullable String key) {
        this.key = key;
    }

    public @Nullable Resource getKeyFile() {
        return keyFile;
    }

    public void setKeyFile(@Nullable Resource keyFile) {
        this.keyFile = keyFile;
    }
}
