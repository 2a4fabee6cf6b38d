package io.kcp.netty.smux;

/**
 * Statistics of the smux streams of one parent channel.
 *
 * @param openStreams     streams that are open now
 * @param openedStreams   streams that this side has opened
 * @param acceptedStreams streams that the peer has opened
 * @param refusedStreams  streams of the peer that were refused with a FIN, because {@code maxStreams} was reached or no child handler is
 *                        set
 * @param framesReceived  frames received, of all commands
 * @param framesSent      frames passed to the parent channel, of all commands
 * @param bytesReceived   payload bytes received
 * @param bytesSent       payload bytes passed to the parent channel
 * @param droppedFrames   PSH, FIN and UPD frames of streams that were not open; some are normal after a close
 * @param ignoredFrames   SYN frames of open streams, PSH frames without payload, PSH frames after a FIN, and stale UPD frames
 * @param queuedBytes     received payload bytes that are queued until their streams read them
 */
public record SmuxStats(
    int openStreams,
    long openedStreams,
    long acceptedStreams,
    long refusedStreams,
    long framesReceived,
    long framesSent,
    long bytesReceived,
    long bytesSent,
    long droppedFrames,
    long ignoredFrames,
    long queuedBytes) {

    /**
     * Adds the statistics of another parent channel, for the total of a server.
     *
     * @param other the other statistics
     * @return the sum
     */
    public SmuxStats plus(SmuxStats other) {
        return new SmuxStats(openStreams + other.openStreams, openedStreams + other.openedStreams,
            acceptedStreams + other.acceptedStreams, refusedStreams + other.refusedStreams, framesReceived + other.framesReceived,
            framesSent + other.framesSent, bytesReceived + other.bytesReceived, bytesSent + other.bytesSent,
            droppedFrames + other.droppedFrames, ignoredFrames + other.ignoredFrames, queuedBytes + other.queuedBytes);
    }
}
