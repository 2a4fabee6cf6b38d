package io.kcp.spring.properties;

import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Configuration properties for packets, the messages of a byte stream. */
public class KcpPacketsProperties {

    /** Whether controllers receive and send packets in the format of go-packetconn. Requires the mode stream. */
    private boolean enabled = false;

    /** Maximum size of the payload of a packet. The default is 32MB, which is also the largest possible value. */
    private @Nullable DataSize maxSize;

    /** Whether a CRC-32 follows each packet. Must be the same on both sides. */
    private boolean checksum = false;

    /** Creates properties with their default values. */
    public KcpPacketsProperties() {
    }

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable DataSize getMaxSize() {
        return maxSize;
    }

    public void setMaxSize(@Nullable DataSize maxSize) {
        this.maxSize = maxSize;
    }

    public boolean isChecksum() {
        return checksum;
    }

    public void setChecksum(boolean checksum) {
        this.checksum = checksum;
    }
}
