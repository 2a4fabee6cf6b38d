/**
 * Packets of up to 32 MiB over any channel that carries a stream of bytes, such as a KCP session or a TCP connection. The format is that of
 * go-packetconn.
 *
 * <p>A packet is sent as a payload length of 4 bytes, the payload, and an optional CRC-32 of 4 bytes over both. All integers are
 * little-endian. {@link io.kcp.netty.packet.PacketCodec} converts between packets and bytes,
 * {@link io.kcp.netty.packet.FlushCoalescer} combines the flushes of many small packets, and {@link io.kcp.netty.packet.FieldWriter} and
 * {@link io.kcp.netty.packet.FieldReader} write and read the fields of a payload.
 *
 * <p>This package depends only on Netty. The terms <b>takes</b>, <b>borrows</b> and <b>returns owned</b> for buffers mean that the callee
 * releases a buffer, does not release it, and that the caller releases it.
 */
@NullMarked
package io.kcp.netty.packet;

import org.jspecify.annotations.NullMarked;
