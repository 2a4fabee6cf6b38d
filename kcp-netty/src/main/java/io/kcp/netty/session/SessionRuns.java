package io.kcp.netty.session;

import io.kcp.netty.socket.RunSender;

/** Allows GSO for the datagrams of one session, until the kernel refuses GSO on the route to its peer. */
public final class SessionRuns implements RunSender {

    private boolean refused;

    @Override
    public boolean maySendRuns() {
        return !refused;
    }

    @Override
    public boolean stopSendingRuns() {
        refused = true;
        return true;
    }
}
