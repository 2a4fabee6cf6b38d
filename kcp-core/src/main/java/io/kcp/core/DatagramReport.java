package io.kcp.core;

/** A summary of the content of one datagram. The {@link DatagramReader} of a conversation fills the same object for each datagram. */
final class DatagramReport {

    /** Number of segments that the datagram acknowledged for the first time. */
    int acknowledged;
    /** {@code true} if {@code una} of the datagram moved the start of the send window. */
    boolean unaAdvanced;
    /** Round-trip time that an acknowledgement of the datagram shows, in milliseconds; -1 if there is none. */
    int rttSampleMs;
    /** {@code true} if a live peer may have sent the datagram. It may also be a replay. */
    boolean maybeLive;
    /**
     * {@code true} if the datagram cannot be a replay, because it delivers or acknowledges something new, is a duplicate newer than
     * every PUSH before, or answers a {@link LivenessProbe}.
     */
    boolean verified;
    /** {@code true} if the datagram contains a window probe, or data outside the receive window. */
    boolean asksForResponse;
    /** {@code true} if the datagram put the first entry into an empty {@link AckQueue}. */
    boolean startsAcks;

    void clear() {
        acknowledged = 0;
        unaAdvanced = false;
        rttSampleMs = -1;
        maybeLive = false;
        verified = false;
        asksForResponse = false;
        startsAcks = false;
    }
}
