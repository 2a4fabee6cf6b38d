package io.kcp.netty.smux;

/** The counters of one {@link SmuxSession}, which only its event loop accesses. */
final class SmuxCounters {

    long opened;
    long accepted;
    long refused;
    long framesReceived;
    long framesSent;
    long bytesReceived;
    long bytesSent;
    long dropped;
    long ignored;

    SmuxStats snapshot(int openStreams, long queuedBytes) {
        return new SmuxStats(openStreams, opened, accepted, refused, framesReceived, framesSent, bytesReceived, bytesSent, dropped,
            ignored, queuedBytes);
    }
}
