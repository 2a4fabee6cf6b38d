package io.kcp.netty;

import io.kcp.netty.session.SessionOwned;
import io.netty.buffer.ByteBuf;

/** Passes the outbound datagrams of one session to its {@link KcpHandler}, or releases them if the session is closed. */
final class SessionOutput implements SessionOwned {

    private final DefaultKcpChannel session;
    private final KcpHandler handler;

    SessionOutput(DefaultKcpChannel session, KcpHandler handler) {
        this.session = session;
        this.handler = handler;
    }

    @Override
    public DefaultKcpChannel session() {
        return session;
    }

    @Override
    public int overheadBytes() {
        return handler.overheadBytes();
    }

    @Override
    public boolean sendsParity() {
        return handler.sendsOob();
    }

    @Override
    public ByteBuf allocate(int datagramBytes) {
        return handler.allocate(datagramBytes);
    }

    @Override
    public void write(ByteBuf datagram) {
        if (session.isServed()) {
            handler.write(datagram, session);
        } else {
            datagram.release();
        }
    }
}
