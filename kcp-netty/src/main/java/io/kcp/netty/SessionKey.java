package io.kcp.netty;

/**
 * Under which of several keys a session is sealed while keys rotate. One that was opened from here keeps to the first, always.
 * One that a peer opened is answered under the key of the datagram that opened it, as long as the peer does not keep on using
 * another: recordings under an old key come between what the peer itself sends, and so change nothing for good.
 *
 * <p>Belongs to the event loop.
 */
final class SessionKey {

    /** Datagrams in a row under one other key that the conversation accepted. */
    static final int WITNESSES = 4;

    private static final int UNKNOWN = -1;

    private boolean followsPeer;
    private int index;
    private int otherIndex;
    private int witnesses;

    /** To be called before anything is heard of a session that a peer opens. */
    void followPeer() {
        followsPeer = true;
        index = UNKNOWN;
    }

    /** The conversation accepted a datagram, not a recovered one, that was opened under that key. */
    void onAccepted(int openerIndex) {
        if (!followsPeer) {
            return;
        }
        if (index == UNKNOWN) {
            index = openerIndex;
        }
        if (openerIndex == index) {
            witnesses = 0;
            return;
        }
        witnesses = openerIndex == otherIndex ? witnesses + 1 : 1;
        otherIndex = openerIndex;
        if (witnesses >= WITNESSES) {
            index = openerIndex;
            witnesses = 0;
        }
    }

    /**
     * Returns the key to seal with.
     *
     * @param latestOpener what opened the latest datagram: before a session has heard anything it is the one being read
     */
    int index(int latestOpener) {
        return index == UNKNOWN ? latestOpener : index;
    }
}
