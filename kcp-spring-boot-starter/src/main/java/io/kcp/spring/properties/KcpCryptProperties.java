package io.kcp.spring.properties;

import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;

/** Configuration properties for the cipher of all datagrams. The peers must use the same cipher and key. */
public class KcpCryptProperties {

    /** Name of the cipher as used by kcp-go and kcptun, for example aes-128-gcm. */
    private @Nullable String type;

    /** Password from which the key is derived in the same way as by kcptun, or "hex:" followed by the key in hexadecimal digits. */
    private @Nullable String key;

    /** File that contains the password, or "hex:" followed by the key. Cannot be combined with the key property. */
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
