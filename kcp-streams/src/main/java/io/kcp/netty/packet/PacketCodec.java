package io.kcp.netty.packet;

import io.netty.channel.CombinedChannelDuplexHandler;

/**
 * Sends and receives packets over any channel that carries a stream of bytes. Each written {@code ByteBuf} is sent as one packet, and each
 * received packet is forwarded as one {@code ByteBuf}.
 *
 * <pre>{@code
 * pipeline.addLast(new FlushCoalescer(), new PacketCodec(), handler);
 * }</pre>
 *
 * <p>A KCP session must be in stream mode. {@link PacketDecoder} and {@link PacketEncoder} describe the two directions.
 */
public final class PacketCodec extends CombinedChannelDuplexHandler<PacketDecoder, PacketEncoder> {

    /** Creates a codec for packets of up to 32 MiB without a checksum, the default of go-packetconn. */
    public PacketCodec() {
        this(PacketFormat.DEFAULT);
    }

    /**
     * Creates a codec.
     *
     * @param format the format of the packets; both peers must use the same checksum setting, because packets do not indicate whether
     *               they have a checksum
     */
    public PacketCodec(PacketFormat format) {
        super(new PacketDecoder(format), new PacketEncoder(format));
    }
}
