package io.kcp.spring.properties;

import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;

/** Cipher and key of all datagrams; the peers must have the same. */
public class KcpCryptProperties {

    /** Name of the cipher as kcp-go and kcptun have it, such as aes-128-gcm. */
    private @Nullable String type;

    /** Password that the key is made of, as by kcptun; or the key itself as hexadecimal digits after "hex:". */
    private @Nullable String key;

    /** File with what key would have, instead of it. */
    private @Nullable Resource keyFile;

    /** Creates what nothing is set in. */
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
