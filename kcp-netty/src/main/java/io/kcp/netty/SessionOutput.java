package io.kcp.netty;

import io.kcp.core.MtuProbeOutput;
import io.kcp.core.ShardArrivals;
import io.kcp.netty.session.SessionOwned;
import io.kcp.netty.socket.UnfragmentedSends;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Passes the outbound datagrams of one session to the datagram channel, or releases them if the session is closed. */
final class SessionOutput implements SessionOwned {

    private final DefaultKcpChannel session;

    SessionOutput(DefaultKcpChannel session) {
        this.session = session;
    }

    @Override
    public DefaultKcpChannel session() {
        return session;
    }

    @Override
    public int overheadBytes() {
        return session.handler().writer().overheadBytes();
    }

    @Override
    public int fecDataShards() {
        return session.handler().writer().fecDataShards();
    }

    @Override
    public @Nullable ShardArrivals shardArrivals() {
        return session.handler().writer().shardArrivals(session);
    }

    @Override
    public boolean authenticatesPeer() {
        return session.handler().writer().isAuthenticated();
    }

    @Override
    public boolean limitsAmplification() {
        return session.place != null && session.handler().limitsAmplification();
    }

    @Override
    public void onMtuReduced(int mtuBytes) {
        session.handler().reducedMtus().add(session.remoteAddress(), session.handler().loop().recentNowMs());
        // Fires the event in a task, because this method is called during a flush.
        session.eventLoop().execute(() -> session.pipeline().fireUserEventTriggered(new KcpMtuEvent(mtuBytes)));
    }

    @Override
    public void onMtuIncreased(int mtuBytes) {
        session.eventLoop().execute(() -> session.pipeline().fireUserEventTriggered(new KcpMtuEvent(mtuBytes)));
    }

    @Override
    public @Nullable MtuProbeOutput mtuProbes() {
        UnfragmentedSends sends = session.handler().writer().unfragmentedSends();
        return sends == null ? null : new MtuProbes(session, sends);
    }

    @Override
    public ByteBuf allocate(int datagramBytes) {
        return session.handler().writer().allocate(datagramBytes);
    }

    @Override
    public void write(ByteBuf datagram) {
        if (session.isServed()) {
            session.handler().writer().write(datagram, session);
        } else {
            datagram.release();
        }
    }
}
