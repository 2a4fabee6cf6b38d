package io.kcp.netty;

import io.kcp.netty.socket.RunSender;

/** Sends the datagrams of one session in runs until the route to its peer refuses one. */
final class SessionRuns implements RunSender {

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
