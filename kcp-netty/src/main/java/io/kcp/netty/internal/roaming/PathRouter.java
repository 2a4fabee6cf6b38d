package io.kcp.netty.internal.roaming;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.fec.FecHeader;
import io.kcp.netty.DropReason;
import io.kcp.netty.internal.admission.AddressProofs;
import io.kcp.netty.internal.admission.SessionCounts;
import io.kcp.netty.internal.admission.Tombstones;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.SessionHost;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.kcp.netty.internal.session.AddressRoutes;
import io.kcp.netty.internal.session.ConversationIndex;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the sessions of datagrams from unknown addresses, so that sessions can follow peers whose address changes. The handler is located
 * between {@link CryptoCodec} and {@link FecCodec}, so it receives only authenticated datagrams.
 *
 * <p>A datagram from a new address of a peer may arrive at another socket of the server than the datagrams from the previous address. The
 * router copies such a datagram and passes the copy to the socket of its session. Sessions send through their own socket, which has the
 * same local port. Datagrams that belong to no session, or to a session of this socket, are forwarded to {@link FecCodec}.
 *
 * <p>A session considers the source address of a datagram only if the datagram contains an acknowledgement, because no other datagram can
 * prove that it comes from the peer (see {@link PathMigration}). A first datagram contains no acknowledgement and can therefore open a
 * session as usual, even if another session has the same {@code conv}.
 */
public final class PathRouter extends ChannelInboundHandlerAdapter {

    /**
     * Time in milliseconds in which the session of another socket considers a new address. Datagrams that follow the proof are passed to
     * the session in this time, because they would otherwise be dropped and would have to be retransmitted. Only the latest proof of each
     * socket is remembered. If many peers move at the same time, the data of some of them is retransmitted.
     */
    private static final int PROVING_MS = 100;

    private static final AttributeKey<PathRouter> KEY = AttributeKey.valueOf(PathRouter.class, "ROUTER");

    private final SessionHost<DefaultKcpChannel> host;
    private final ConversationIndex<DefaultKcpChannel> index;
    private final SessionCounts counts;
    private final Tombstones tombstones;
    private final @Nullable AddressProofs proofs;
    private final AddressRoutes<PathRouter> routes = new AddressRoutes<>(new SecureRandom());
    private @Nullable ChannelHandlerContext ctx;
    private @Nullable HandoverQueue<PathRouter> handover;
    /** The router that has received the current datagram, or null if this router has received it. */
    private @Nullable PathRouter receiver;
    /** Source of the latest datagram that may prove a new address and was passed to another socket, and its conversation id. */
    private @Nullable InetSocketAddress provingAddress;
    private int provingConv;
    private long provingAtMs;

    /**
     * Creates the router of one socket.
     *
     * @param index      the sessions of all sockets of the server
     * @param counts     counts the sessions of each address
     * @param tombstones records of the addresses that sessions of this socket have left
     * @param proofs     the probes that this socket has sent to unknown addresses, or null if it sends none
     */
    public PathRouter(SessionHost<DefaultKcpChannel> host, ConversationIndex<DefaultKcpChannel> index, SessionCounts counts,
        Tombstones tombstones, @Nullable AddressProofs proofs) {
        this.host = host;
        this.index = index;
        this.counts = counts;
        this.tombstones = tombstones;
        this.proofs = proofs;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        handover = new HandoverQueue<>(context.channel().eventLoop(), this::onHanded, context::fireChannelReadComplete);
        ctx = context;
        context.channel().attr(KEY).set(this);
    }

    // ---- inbound datagrams

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof DatagramPacket packet && isForOtherPath(packet)) {
            boolean taken;
            try {
                taken = route(packet);
            } catch (RuntimeException | Error failure) {
                ReferenceCountUtil.release(packet);
                throw failure;
            }
            if (taken) {
                packet.release();
                return;
            }
        }
        context.fireChannelRead(message);
    }

    /** Returns {@code true} if no session of this socket has the address and the conversation id of a datagram. */
    private boolean isForOtherPath(DatagramPacket packet) {
        int offset = convOffset(packet.content());
        return offset < 0 ? host.sessions().firstOf(packet.sender()) == null
            : host.sessions().find(packet.sender(), SegmentHeader.conv(packet.content(), offset)) == null;
    }

    /** Passes a datagram to its session if that session belongs to another socket or has another address. Borrows the datagram. */
    private boolean route(DatagramPacket packet) {
        InetSocketAddress sender = packet.sender();
        PathRouter other = routes.find(sender);
        if (other != null) {
            other.handOver(packet, this, true);
            return true;
        }
        DefaultKcpChannel session = find(packet);
        PathRouter owner = session == null ? null : session.datagramChannel().attr(KEY).get();
        if (session == null || owner == null) {
            return false;
        }
        boolean known = sender.equals(session.remoteAddress());
        boolean proves = !known && mayProve(packet, session);
        if (!known && (!proves && !followsProof(sender, session) || isProbeResponse(packet))) {
            return false;
        }
        if (owner != this) {
            if (proves) {
                provingAddress = sender;
                provingConv = session.conv();
                provingAtMs = host.loop().nowMs();
            }
            owner.handOver(packet, this, known);
            return true;
        }
        return !known && migrate(packet, session, this);
    }

    private @Nullable DefaultKcpChannel find(DatagramPacket packet) {
        int offset = convOffset(packet.content());
        return offset < 0 ? null : index.find(SegmentHeader.conv(packet.content(), offset));
    }

    /** Returns {@code true} if a datagram contains an acknowledgement, or comes from an address that the session already considers. */
    private static boolean mayProve(DatagramPacket packet, DefaultKcpChannel session) {
        ByteBuf datagram = packet.content();
        int start = segmentsOffset(datagram);
        if (start < 0) {
            return false;
        }
        PathMigration migration = PathMigration.of(session);
        if (migration != null && packet.sender().equals(migration.candidate())) {
            return true;
        }
        int end = datagram.writerIndex();
        for (long offset = start; end - offset >= SegmentHeader.LENGTH;) {
            if (SegmentHeader.cmd(datagram, (int) offset) == SegmentHeader.CMD_ACK) {
                return true;
            }
            offset += SegmentHeader.LENGTH + SegmentHeader.len(datagram, (int) offset);
        }
        return false;
    }

    /** Returns {@code true} if the session's socket may still be examining a datagram that proves the address of the sender. */
    private boolean followsProof(InetSocketAddress sender, DefaultKcpChannel session) {
        return session.conv() == provingConv && sender.equals(provingAddress) && host.loop().nowMs() - provingAtMs < PROVING_MS;
    }

    /**
     * Returns {@code true} if a datagram begins with the response to a probe that this socket has sent to the address, because the server
     * is under load. The datagram then comes from a new peer, which has the {@code conv} of the session by coincidence.
     */
    private boolean isProbeResponse(DatagramPacket packet) {
        int start = segmentsOffset(packet.content());
        return start >= 0 && proofs != null && proofs.isEcho(packet.sender(), packet.content(), start, host.loop().nowMs());
    }

    private boolean migrate(DatagramPacket packet, DefaultKcpChannel session, PathRouter via) {
        ByteBuf datagram = packet.content();
        int start = segmentsOffset(datagram);
        return start >= 0 && migration(session).read(datagram.slice(start, datagram.writerIndex() - start), packet.sender(), via);
    }

    private PathMigration migration(DefaultKcpChannel session) {
        PathMigration migration = PathMigration.of(session);
        return migration != null ? migration : PathMigration.create(session, this, host.loop().nowMs());
    }

    /** Returns the index of the conversation id in a datagram, or -1 if the datagram contains none. */
    private static int convOffset(ByteBuf datagram) {
        int offset = datagram.readerIndex();
        if (!FecHeader.isPresent(datagram)) {
            return datagram.readableBytes() < SegmentHeader.LENGTH ? -1 : offset;
        }
        boolean parity = FecHeader.type(datagram, offset) == FecHeader.TYPE_PARITY;
        return parity || datagram.readableBytes() < FecHeader.OOB_LENGTH ? -1 : offset + FecHeader.LENGTH;
    }

    /** Returns the index of the first segment in a datagram, or -1 if the datagram contains none. */
    private static int segmentsOffset(ByteBuf datagram) {
        int offset = datagram.readerIndex();
        if (FecHeader.isPresent(datagram)) {
            if (FecHeader.type(datagram, offset) != FecHeader.TYPE_DATA) {
                return -1;
            }
            offset += FecHeader.LENGTH;
        }
        return datagram.writerIndex() - offset < SegmentHeader.LENGTH ? -1 : offset;
    }

    // ---- between sockets

    /** Passes a copy of a datagram to the event loop of this router. Borrows the datagram. Called on the event loop of {@code via}. */
    private void handOver(DatagramPacket packet, PathRouter via, boolean known) {
        ByteBuf content = packet.content();
        // Copies the datagram, because read buffers must not be used on two event loops.
        ByteBuf copy = via.context().alloc().directBuffer(content.readableBytes());
        copy.writeBytes(content, content.readerIndex(), content.readableBytes());
        DatagramPacket copied = new DatagramPacket(copy, packet.recipient(), packet.sender());
        if (!handover().offer(new HandoverQueue.Handed<>(copied, via, via.host.sessions().keyIndex()), known)) {
            copied.release();
            via.host.drop(DropReason.HANDOVER_FULL);
        }
    }

    private void onHanded(HandoverQueue.Handed<PathRouter> handed) {
        DatagramPacket packet = handed.packet();
        boolean taken = true;
        try {
            if (context().channel().isActive()) {
                host.sessions().keyIndex(handed.keyIndex());
                taken = isForOtherPath(packet) && isMigrating(packet, handed.via());
            }
        } catch (RuntimeException | OutOfMemoryError failure) {
            context().fireExceptionCaught(failure);
        } finally {
            if (taken) {
                packet.release();
            }
        }
        if (!taken) {
            receiver = handed.via();
            try {
                context().fireChannelRead(packet);
            } finally {
                receiver = null;
            }
        }
    }

    private boolean isMigrating(DatagramPacket packet, PathRouter via) {
        DefaultKcpChannel session = find(packet);
        return session != null && session.host() == host && mayProve(packet, session) && migrate(packet, session, via);
    }

    /** Runs a task on the event loop of this router. Any thread may call this method. */
    private void onLoop(Runnable task) {
        try {
            context().channel().eventLoop().execute(task);
        } catch (RejectedExecutionException terminated) {
            // Discards the task, because the socket of this router is closed and receives no datagrams.
        }
    }

    void addRoute(InetSocketAddress address, PathRouter owner) {
        onLoop(() -> {
            host.sessions().routes(routes);
            routes.add(address, owner);
        });
    }

    void removeRoute(InetSocketAddress address, PathRouter owner) {
        onLoop(() -> routes.remove(address, owner));
    }

    /** Returns the number of addresses whose datagrams arrive at this socket but belong to sessions of another socket. */
    public int routedAddresses() {
        return routes.size();
    }

    // ---- sessions

    SessionHost<DefaultKcpChannel> host() {
        return host;
    }

    /** Counts a session under the IP address to which its peer has moved. Returns {@code false} if that address has too many sessions. */
    boolean mayMove(DefaultKcpChannel session, InetSocketAddress current) {
        SessionCounts.Place place = session.place;
        return place == null || counts.move(place, current.getAddress());
    }

    /** Records that a session leaves its address, so that a late datagram from that address opens no other session. */
    void onLeaving(DefaultKcpChannel session, long nowMs) {
        Kcp conversation = session.kcp();
        tombstones.add(session.remoteAddress(), session.conv(),
            Tombstones.Tombstone.ofMovedSession(nowMs, conversation.nextExpectedSn(), conversation.isAcknowledged()));
    }

    /** Returns the router that has received the current datagram, or null if this router has received it. */
    public @Nullable PathRouter receiver() {
        return receiver;
    }

    /** Sets the router that has received the next datagrams, or null if this router has received them. */
    public void receiver(@Nullable PathRouter via) {
        receiver = via;
    }

    /** Adds a session to the index. If its first datagram arrived at another socket, its later datagrams arrive there, too. */
    public void onOpened(DefaultKcpChannel session) {
        index.add(session);
        PathRouter via = receiver;
        if (via != null) {
            migration(session).arriveAt(via, session.remoteAddress());
        }
    }

    /**
     * Updates the index after a session has accepted a datagram. The first datagram triggers a probe, so that a peer that only sends data
     * receives a segment to acknowledge.
     */
    public void onAccepted(DefaultKcpChannel session) {
        if (session.kcp().isPeerValidated()) {
            index.onValidated(session);
        } else if (!session.probed && session.isAccepted()) {
            session.probed = true;
            session.kcp().ping((int) host.loop().recentNowMs());
        }
    }

    /** Removes a closed session from the index, and the route to its address from the socket that receives its datagrams. */
    public void onClosed(DefaultKcpChannel session) {
        try {
            index.remove(session);
            PathMigration migration = PathMigration.of(session);
            if (migration != null) {
                migration.removeRoute();
            }
        } catch (OutOfMemoryError shortage) {
            // Ignores the shortage, because closing the session must complete. A route that remains has no effect on other addresses.
        }
    }

    private ChannelHandlerContext context() {
        ChannelHandlerContext context = ctx;
        assert context != null;
        return context;
    }

    private HandoverQueue<PathRouter> handover() {
        HandoverQueue<PathRouter> queue = handover;
        assert queue != null;
        return queue;
    }
}
