package io.kcp.netty.packet;

/**
 * The format of the packets of a channel. Both peers must use the same checksum setting, because packets do not indicate whether they
 * have a checksum.
 *
 * @param maxPayloadBytes the largest payload that is sent or accepted; at most {@link #MAX_PAYLOAD_BYTES}
 * @param checksum {@code true} if a CRC-32 follows each payload
 */
public record PacketFormat(int maxPayloadBytes, boolean checksum) {

    /** The largest payload that the format permits, 32 MiB. */
    public static final int MAX_PAYLOAD_BYTES = 32 << 20;

    /** Packets of up to 32 MiB without a checksum, the default of go-packetconn. */
    public static final PacketFormat DEFAULT = new PacketFormat(MAX_PAYLOAD_BYTES, false);

    /** Number of bytes of the length that precedes each payload. */
    static final int HEADER_BYTES = 4;
    /** Number of bytes of the CRC-32 that follows each payload. */
    static final int CHECKSUM_BYTES = 4;

    /**
     * Creates a format.
     *
     * @throws IllegalArgumentException if {@code maxPayloadBytes} is not between 0 and {@link #MAX_PAYLOAD_BYTES}
     */
    public PacketFormat {
        if (maxPayloadBytes < 0 || maxPayloadBytes > MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("maxPayloadBytes: " + maxPayloadBytes + ", must be between 0 and " + MAX_PAYLOAD_BYTES);
        }
    }

    /**
     * Returns this format with another maximum payload size. A server should limit the size to what its application needs, because each
     * client can make the server store one packet of this size per channel or smux stream.
     *
     * @param bytes the maximum payload size
     * @return the format
     */
    public PacketFormat withMaxPayloadBytes(int bytes) {
        return new PacketFormat(bytes, checksum);
    }

    /**
     * Returns this format with or without a CRC-32 after each payload.
     *
     * @param enabled {@code true} to add a CRC-32
     * @return the format
     */
    public PacketFormat withChecksum(boolean enabled) {
        return new PacketFormat(maxPayloadBytes, enabled);
    }

    int trailerBytes() {
        return checksum ? CHECKSUM_BYTES : 0;
    }
}
