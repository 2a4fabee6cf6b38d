package io.kcp.netty.internal.channel;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.socket.RunSender;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A datagram that {@link KcpHandler} exchanges with the handlers nearer to the socket. It also stores the session that sends the datagram,
 * whether it is a probe for a larger MTU, and whether FEC recovered the datagram. The transport treats it like any other
 * {@link DatagramPacket}. It owns its content, as every {@code DatagramPacket} does.
 */
public final class KcpDatagram extends DatagramPacket {

    private final @Nullable AbstractSession session;
    private final boolean recovered;
    private final boolean outOfBand;
    private final boolean mtuProbe;

    /** Creates an outbound datagram of a session, and <b>takes</b> the content. */
    public KcpDatagram(ByteBuf content, InetSocketAddress recipient, AbstractSession session) {
        this(content, recipient, session, false);
    }

    /** Creates a probe for a larger MTU, and <b>takes</b> the content. FEC neither enlarges a probe nor protects it with parity. */
    public static KcpDatagram mtuProbe(ByteBuf content, InetSocketAddress recipient, AbstractSession session) {
        return new KcpDatagram(content, recipient, session, false, true);
    }

    /**
     * Creates an outbound datagram that may be an out-of-band message, and <b>takes</b> the content. The content of an out-of-band message
     * is its conversation id and its payload.
     */
    public KcpDatagram(ByteBuf content, InetSocketAddress recipient, AbstractSession session, boolean outOfBand) {
        this(content, recipient, session, outOfBand, false);
    }

    private KcpDatagram(ByteBuf content, InetSocketAddress recipient, AbstractSession session, boolean outOfBand, boolean mtuProbe) {
        super(content, recipient);
        this.session = Objects.requireNonNull(session, "session");
        this.recovered = false;
        this.outOfBand = outOfBand;
        this.mtuProbe = mtuProbe;
    }

    /**
     * Creates an inbound datagram.
     *
     * @param content   the datagram, <b>taken</b>
     * @param recipient the local address, null if unknown
     * @param sender    the remote address
     * @param recovered {@code true} if the datagram was recovered by FEC instead of received
     */
    public KcpDatagram(ByteBuf content, @Nullable InetSocketAddress recipient, InetSocketAddress sender, boolean recovered) {
        super(content, recipient, sender);
        this.session = null;
        this.recovered = recovered;
        this.outOfBand = false;
        this.mtuProbe = false;
    }

    private KcpDatagram(KcpDatagram packet, ByteBuf content) {
        super(content, packet.recipient(), packet.sender());
        this.session = packet.session;
        this.recovered = packet.recovered;
        this.outOfBand = packet.outOfBand;
        this.mtuProbe = packet.mtuProbe;
    }

    /**
     * Returns the session that sends this datagram.
     *
     * @return the session, null for an inbound datagram
     */
    public @Nullable KcpChannel session() {
        return (KcpChannel) session;
    }

    /**
     * Returns {@code true} if FEC recovered this datagram. The window and the timestamps of a recovered datagram are outdated and must not
     * be used.
     *
     * @return {@code true} if FEC recovered this datagram
     */
    public boolean isRecovered() {
        return recovered;
    }

    /**
     * Returns the {@link RunSender} of a datagram, which decides whether GSO may send the datagram together with others. A recovered
     * datagram is always sent alone.
     */
    public static RunSender runSender(DatagramPacket datagram) {
        if (datagram instanceof KcpDatagram packet) {
            AbstractSession sender = packet.session;
            return sender == null ? RunSender.SINGLE : sender;
        }
        return RunSender.SOCKET;
    }

    public boolean isOutOfBand() {
        return outOfBand;
    }

    /** Returns {@code true} if this datagram is a probe for a larger MTU, so that its size must not change. */
    public boolean isMtuProbe() {
        return mtuProbe;
    }

    /** Returns {@code true} if a session sends this datagram to its peer. A recovered datagram is inbound, even if a handler writes it. */
    public boolean isOutbound() {
        return session != null;
    }

    /** Returns the session that sends this outbound datagram. */
    public AbstractSession kcpSession() {
        AbstractSession sender = session;
        assert sender != null : "inbound";
        return sender;
    }

    @Override
    public KcpDatagram replace(ByteBuf content) {
        return new KcpDatagram(this, content);
    }

    @Override
    public KcpDatagram copy() {
        return replace(content().copy());
    }

    @Override
    public KcpDatagram duplicate() {
        return replace(content().duplicate());
    }

    @Override
    public KcpDatagram retainedDuplicate() {
        return replace(content().retainedDuplicate());
    }

    @Override
    public KcpDatagram retain() {
        super.retain();
        return this;
    }

    @Override
    public KcpDatagram retain(int increment) {
        super.retain(increment);
        return this;
    }

    @Override
    public KcpDatagram touch() {
        super.touch();
        return this;
    }

    @Override
    public KcpDatagram touch(Object hint) {
        super.touch(hint);
        return this;
    }
}
