package io.kcp.spring.properties;

import io.kcp.core.KcpTransferMode;
import io.kcp.netty.packet.PacketFormat;
import io.kcp.netty.smux.SmuxVersion;
import org.jspecify.annotations.Nullable;

/**
 * The layers between the sessions of a server and its controllers. For internal use by the starter.
 *
 * @param smux    the version of smux; null if sessions are not divided into streams
 * @param packets the format of packets; null if messages are not packets
 */
public record SessionLayers(@Nullable SmuxVersion smux, @Nullable PacketFormat packets) {

    static SessionLayers of(PropertyReader reader, KcpServerProperties properties) {
        return new SessionLayers(smux(reader, properties), packets(reader, properties));
    }

    private static @Nullable SmuxVersion smux(PropertyReader reader, KcpServerProperties properties) {
        Integer number = properties.getSmux();
        if (number == null) {
            return null;
        }
        requireStreamMode(reader, "smux", properties);
        for (SmuxVersion version : SmuxVersion.values()) {
            if (version.number() == number) {
                return version;
            }
        }
        throw reader.invalid("smux", number + " is not a version of smux", "Use 1 or 2, the version of the peers", null);
    }

    private static @Nullable PacketFormat packets(PropertyReader reader, KcpServerProperties properties) {
        KcpPacketsProperties packets = properties.getPackets();
        if (!packets.isEnabled()) {
            return null;
        }
        requireStreamMode(reader, "packets.enabled", properties);
        long maxBytes = packets.getMaxSize() == null ? PacketFormat.MAX_PAYLOAD_BYTES : packets.getMaxSize().toBytes();
        int bounded = (int) Math.max(-1, Math.min(maxBytes, Integer.MAX_VALUE));
        return reader.checked("packets.max-size", () -> new PacketFormat(bounded, packets.isChecksum()));
    }

    private static void requireStreamMode(PropertyReader reader, String name, KcpServerProperties properties) {
        if (properties.getMode() != KcpTransferMode.STREAM) {
            throw reader.invalid(name, "it requires a byte stream, but sessions carry messages", "Set " + reader.name("mode")
                + " to stream", null);
        }
    }
}
