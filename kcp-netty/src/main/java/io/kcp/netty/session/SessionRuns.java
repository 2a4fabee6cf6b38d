package io.kcp.netty.session;

import io.kcp.netty.socket.RunSender;

/** Allows the datagrams of one session to be sent in runs, until the kernel refuses a run because of the route to its peer. */
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
