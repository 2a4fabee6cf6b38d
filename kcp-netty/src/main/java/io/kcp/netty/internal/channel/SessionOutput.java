package io.kcp.netty.internal.channel;

import io.kcp.core.MtuProbeOutput;
import io.kcp.core.ShardArrivals;
import io.kcp.netty.KcpMtuEvent;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.session.SessionBoundOutput;
import io.kcp.netty.internal.socket.UnfragmentedSends;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Passes the outbound datagrams of one session to the datagram channel, or releases them if the session is closed. */
final class SessionOutput implements SessionBoundOutput {

    private final AbstractSession session;
    private final SessionHost<?> host;

    SessionOutput(AbstractSession session, SessionHost<?> host) {
        this.session = session;
        this.host = host;
    }

    @Override
    public AbstractSession session() {
        return session;
    }

    @Override
    public int overheadBytes() {
        return host.writer().overheadBytes();
    }

    @Override
    public int fecDataShards() {
        return host.writer().fecDataShards();
    }

    @Override
    public @Nullable ShardArrivals shardArrivals() {
        return host.writer().shardArrivals(session);
    }

    @Override
    public boolean authenticatesPeer() {
        return host.writer().isAuthenticated();
    }

    @Override
    public boolean limitsAmplification() {
        return session.isAccepted() && host.limitsAmplification();
    }

    @Override
    public void onMtuReduced(int mtuBytes) {
        host.reducedMtus().add(session.remoteAddress(), host.loop().recentNowMs());
        onMtuIncreased(mtuBytes);
    }

    @Override
    public void onMtuIncreased(int mtuBytes) {
        // Fires the event in a task, because this method is called during a flush.
        session.eventLoop().execute(() -> session.pipeline().fireUserEventTriggered(new KcpMtuEvent(mtuBytes)));
    }

    @Override
    public @Nullable MtuProbeOutput mtuProbes() {
        UnfragmentedSends sends = host.writer().unfragmentedSends();
        return sends == null ? null : new MtuProbes(session, host, sends);
    }

    @Override
    public ByteBuf allocate(int datagramBytes) {
        return host.writer().allocate(datagramBytes);
    }

    @Override
    public void write(ByteBuf datagram) {
        if (session.isServed()) {
            host.writer().write(datagram, session);
        } else {
            datagram.release();
        }
    }
}
