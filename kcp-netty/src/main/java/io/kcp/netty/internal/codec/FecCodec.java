package io.kcp.netty.internal.codec;

import io.kcp.core.SegmentHeader;
import io.kcp.core.ShardArrivals;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecDecoder;
import io.kcp.core.fec.FecEncoder;
import io.kcp.core.fec.FecHeader;
import io.kcp.core.fec.ShardPool;
import io.kcp.netty.DropReason;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.internal.channel.DatagramChannelWriter;
import io.kcp.netty.internal.channel.DatagramLayer;
import io.kcp.netty.internal.channel.DropCounters;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.kcp.netty.internal.channel.SessionHost;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.session.PeerTable;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Adds FEC parity to the outbound datagrams of each session, and recovers lost inbound datagrams from received parity. This handler is the
 * second of the three handlers of a datagram channel, between {@link CryptoCodec} and {@link KcpHandler}.
 *
 * <p>The two directions are independent. Whether or not this side sends parity, it decodes any shape (numbers of data and parity shards
 * per group) that the peer uses, including no parity at all. The encoder and the decoder belong to the session; this handler only looks
 * them up. A data shard is forwarded before it is passed to the decoder, because it may be the first datagram of a session. A parity
 * shard does not identify a session, so it is passed to the session of its address whose data shards it fits.
 *
 * <p>Probes and keepalives are sent without an FEC header. They are mostly sent while a session is idle. As data shards, they would start
 * FEC groups that other datagrams complete only much later. Datagrams to an address to which a session may move are sent without an FEC
 * header, too.
 *
 * <p>Each channel needs its own instance. The wire format is described in section 4 of {@code wire-format-layers.md}.
 */
public final class FecCodec extends ChannelDuplexHandler implements DatagramLayer {

    private final @Nullable FecConfig config;
    private @Nullable LoopContext loop;
    private @Nullable DropCounters drops;
    private @Nullable SessionHost<?> host;
    private boolean batching;

    /**
     * Creates a codec.
     *
     * @param config the settings for sending parity and for decoding; null to send no parity and to decode any parity that the peer sends
     */
    public FecCodec(@Nullable FecConfig config) {
        this.config = config;
    }

    @Override
    public int dataShards() {
        return config == null ? 0 : config.shape().dataShards();
    }

    @Override
    public @Nullable ShardArrivals arrivals(AbstractSession session) {
        return config == null || !config.isAdaptive() ? null : session.fec.encoder(config, shards()).arrivals();
    }

    @Override
    public int headBytes() {
        return config == null ? 0 : FecHeader.LENGTH;
    }

    @Override
    public int tailBytes() {
        return 0;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        loop = LoopContext.of(context.channel().eventLoop());
        drops = DropCounters.of(context.channel());
    }

    // ---- outbound

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        FecConfig sending = config;
        if (sending == null || !(message instanceof KcpDatagram packet) || !packet.isOutbound()) {
            context.write(message, promise);
            return;
        }
        ByteBuf datagram = packet.content();
        if (packet.isOutOfBand()) {
            prependOobHeader(datagram);
            context.write(packet, promise);
            return;
        }
        AbstractSession session = packet.kcpSession();
        // Sends datagrams to a new address of the peer without a header, because all shards of a group must be sent to the same address.
        if (packet.isMtuProbe() || isProbe(datagram) || !isCurrentAddress(packet.recipient(), session)) {
            context.write(packet, promise);
            return;
        }
        FecEncoder encoder;
        int parity;
        try {
            encoder = session.fec.encoder(sending, shards());
            if (sending.isAdaptive() && encoder.arrivals() == null) {
                session.fec.measureRetransmissions(session.kcp(), encoder, nowMs());
            }
            parity = encoder.encode(datagram, nowMs());
        } catch (RuntimeException | Error failure) {
            packet.release();
            promise.tryFailure(failure);
            return;
        }
        context.write(packet, promise);
        // A write can close the session or send its next datagram before it returns, which discards the pending parity.
        for (int i = 0; i < parity && encoder.hasParity(i); i++) {
            int parityBytes = encoder.parityBytes() - FecHeader.LENGTH + writer(context).overheadBytes();
            if (!session.kcp().amplificationLimit().trySpend(parityBytes)) {
                break;
            }
            // Moves both indices back to the start of the room that allocate() has reserved for the FEC header, because the encoder writes
            // the header itself.
            ByteBuf shard = writer(context).allocate(encoder.parityBytes() - FecHeader.LENGTH);
            try {
                shard.setIndex(shard.readerIndex() - FecHeader.LENGTH, shard.readerIndex() - FecHeader.LENGTH);
                encoder.writeParity(i, shard);
            } catch (RuntimeException | Error failure) {
                shard.release();
                throw failure;
            }
            context.write(new KcpDatagram(shard, session.remoteAddress(), session), context.voidPromise());
        }
    }

    private static boolean isCurrentAddress(InetSocketAddress recipient, AbstractSession session) {
        InetSocketAddress current = session.remoteAddress();
        return recipient == current || recipient.equals(current);
    }

    /** Prepends the FEC header to an out-of-band message, which already begins with its conversation id. */
    private static void prependOobHeader(ByteBuf message) {
        int conv = message.getIntLE(message.readerIndex());
        int payloadBytes = message.readableBytes() - (FecHeader.OOB_LENGTH - FecHeader.LENGTH);
        message.readerIndex(message.readerIndex() - FecHeader.LENGTH);
        FecHeader.setOob(message, message.readerIndex(), conv, payloadBytes);
    }

    /**
     * Returns {@code true} if a datagram is a window probe, a keepalive or the response to one, that is, if it consists of one to three
     * segments without payload, at least one of which is a WASK or WINS.
     */
    private static boolean isProbe(ByteBuf datagram) {
        int offset = datagram.readerIndex();
        int bytes = datagram.readableBytes();
        if (bytes % SegmentHeader.LENGTH != 0 || bytes > 3 * SegmentHeader.LENGTH) {
            return false;
        }
        boolean hasWindowSegment = false;
        for (int end = offset + bytes; offset < end; offset += SegmentHeader.LENGTH) {
            if (SegmentHeader.len(datagram, offset) != 0) {
                return false;
            }
            hasWindowSegment |= SegmentHeader.cmd(datagram, offset) >= SegmentHeader.CMD_WASK;
        }
        return hasWindowSegment;
    }

    // ---- inbound

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof DatagramPacket packet) || packet.content().readableBytes() < FecHeader.LENGTH) {
            context.fireChannelRead(message);
            return;
        }
        if (!batching) {
            batching = true;
            loop().nowMs();
        }
        switch (FecHeader.type(packet.content(), packet.content().readerIndex())) {
            case FecHeader.TYPE_DATA -> readData(context, packet);
            case FecHeader.TYPE_PARITY -> readParity(context, packet);
            case FecHeader.TYPE_OOB -> readOob(context, packet);
            default -> context.fireChannelRead(packet);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        batching = false;
        context.fireChannelReadComplete();
    }

    private void readData(ChannelHandlerContext context, DatagramPacket packet) {
        ByteBuf datagram = packet.content();
        if (datagram.readableBytes() < FecHeader.LENGTH + SegmentHeader.LENGTH) {
            drop(packet, DropReason.NOT_KCP);
            return;
        }
        InetSocketAddress sender = packet.sender();
        InetSocketAddress recipient = packet.recipient();
        int conv = SegmentHeader.conv(datagram, datagram.readerIndex() + FecHeader.LENGTH);
        int length = shards().copyIn(datagram);
        datagram.skipBytes(FecHeader.LENGTH);
        context.fireChannelRead(packet);
        // Looks up the session only after fireChannelRead(), which may have opened it. The next handler owns the datagram, so the decoder
        // uses the copy made above.
        AbstractSession session = sessions(context).find(sender, conv);
        if (session != null) {
            sessions(context).onDataShard(session);
            session.kcp().amplificationLimit().onReceived(FecHeader.LENGTH);
            FecDecoder decoder = session.fec.decoder(config, shards());
            int count = decoder.decodeCopied(length, nowMs());
            fireRecovered(context, session, decoder, count, sender, recipient);
        }
    }

    private void readParity(ChannelHandlerContext context, DatagramPacket packet) {
        int seqid = FecHeader.seqid(packet.content(), packet.content().readerIndex());
        AbstractSession session = sessions(context).ofParity(packet.sender(), seqid);
        if (session == null) {
            drop(packet, sessions(context).firstOf(packet.sender()) == null ? DropReason.STRAY_PARITY : DropReason.FAR_PARITY);
            return;
        }
        session.kcp().amplificationLimit().onReceived(packet.content().readableBytes());
        try {
            FecDecoder decoder = session.fec.decoder(config, shards());
            int count = decoder.decode(packet.content(), nowMs());
            fireRecovered(context, session, decoder, count, packet.sender(), packet.recipient());
        } finally {
            packet.release();
        }
    }

    private void fireRecovered(ChannelHandlerContext context, AbstractSession session, FecDecoder decoder, int count,
        InetSocketAddress sender, @Nullable InetSocketAddress recipient) {
        loop().spareMemory().onActivity(session.spare);
        // A handler may close the session, which releases its decoder.
        for (int i = 0; i < count && session.isOpen(); i++) {
            ByteBuf datagram = context.alloc().directBuffer(decoder.recoveredBytes(i));
            decoder.readRecovered(i, datagram);
            context.fireChannelRead(new KcpDatagram(datagram, recipient, sender, true));
        }
    }

    private void readOob(ChannelHandlerContext context, DatagramPacket packet) {
        ByteBuf datagram = packet.content();
        if (datagram.readableBytes() < FecHeader.OOB_LENGTH) {
            drop(packet, DropReason.NOT_KCP);
            return;
        }
        AbstractSession session = sessions(context).find(packet.sender(), FecHeader.oobConv(datagram, datagram.readerIndex()));
        if (session == null) {
            drop(packet, DropReason.NO_SESSION);
            return;
        }
        session.kcp().amplificationLimit().onReceived(datagram.readableBytes());
        session.readOob(datagram.skipBytes(FecHeader.OOB_LENGTH));
    }

    private void drop(DatagramPacket packet, DropReason reason) {
        DropCounters counters = drops;
        assert counters != null;
        counters.count(reason);
        ReferenceCountUtil.release(packet);
    }

    // ---- shared state

    private SessionHost<?> host(ChannelHandlerContext context) {
        SessionHost<?> present = host;
        if (present == null) {
            present = SessionHost.of(context.channel(), "FecCodec");
            host = present;
        }
        return present;
    }

    private PeerTable<?> sessions(ChannelHandlerContext context) {
        return host(context).sessions();
    }

    private DatagramChannelWriter writer(ChannelHandlerContext context) {
        return host(context).writer();
    }

    private int nowMs() {
        return (int) loop().recentNowMs();
    }

    private ShardPool shards() {
        return loop().shards();
    }

    private LoopContext loop() {
        LoopContext context = loop;
        assert context != null;
        return context;
    }
}
