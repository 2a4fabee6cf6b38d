package io.kcp.netty.internal.session;

/**
 * Selects the key that encrypts the datagrams of a session during a key rotation. A session that this side opened always uses the first
 * key. A session that a peer opened uses the key of its first datagram, and switches to another key after {@value #SWITCH_AFTER_DATAGRAMS}
 * consecutive datagrams encrypted with that key. Replayed datagrams under an old key have no lasting effect, because they are interleaved
 * with datagrams that the peer sends itself.
 *
 * <p>This class is used on the event loop of the session only.
 */
public final class CipherKeySelector {

    /** Number of consecutive datagrams encrypted with another key after which the session switches to that key. */
    static final int SWITCH_AFTER_DATAGRAMS = 4;

    private static final int UNKNOWN = -1;

    private boolean followsPeer;
    private int index;
    private int otherIndex;
    private int otherDatagrams;

    /**
     * Makes the session use the key of its peer instead of the first key. Must be called before a session that a peer opens receives its
     * first datagram.
     */
    public void followPeer() {
        followsPeer = true;
        index = UNKNOWN;
    }

    /** Records the key of a datagram that the conversation accepted. Must not be called for datagrams that FEC recovered. */
    public void onAccepted(int keyIndex) {
        if (!followsPeer) {
            return;
        }
        if (index == UNKNOWN) {
            index = keyIndex;
        }
        if (keyIndex == index) {
            otherDatagrams = 0;
            return;
        }
        otherDatagrams = keyIndex == otherIndex ? otherDatagrams + 1 : 1;
        otherIndex = keyIndex;
        if (otherDatagrams >= SWITCH_AFTER_DATAGRAMS) {
            index = keyIndex;
            otherDatagrams = 0;
        }
    }

    /**
     * Returns the index of the key that encrypts outbound datagrams.
     *
     * @param latestKeyIndex the index of the key that decrypted the latest datagram, used until the session has accepted a datagram
     */
    public int index(int latestKeyIndex) {
        return index == UNKNOWN ? latestKeyIndex : index;
    }
}
