package io.kcp.netty;

import io.kcp.netty.session.SessionOwned;
import io.netty.buffer.ByteBuf;

/** Passes the outbound datagrams of one session to the datagram channel, or releases them if the session is closed. */
final class SessionOutput implements SessionOwned {

    private final DefaultKcpChannel session;
    private final PacketWriter writer;

    SessionOutput(DefaultKcpChannel session, PacketWriter writer) {
        this.session = session;
        this.writer = writer;
    }

    @Override
    public DefaultKcpChannel session() {
        return session;
    }

    @Override
    public int overheadBytes() {
        return writer.overheadBytes();
    }

    @Override
    public boolean sendsParity() {
        return writer.sendsOob();
    }

    @Override
    public ByteBuf allocate(int datagramBytes) {
        return writer.allocate(datagramBytes);
    }

    @Override
    public void write(ByteBuf datagram) {
        if (session.isServed()) {
            writer.write(datagram, session);
        } else {
            datagram.release();
        }
    }
}
