package io.kcp.core;

/** Tracks the receive window that the peer announces. Segments that are older than the newest received one do not change the window. */
final class RemoteWindow {

    /** Window, in segments, that is assumed for the peer until its first datagram arrives, as in kcp-go. */
    static final int INITIAL_SEGMENTS = 32;

    private int segments = INITIAL_SEGMENTS;
    private int largest;
    private int newestUna;
    private int announcedUna;
    private final int firstSn;

    RemoteWindow(int firstSn) {
        this.firstSn = firstSn;
        newestUna = firstSn;
        announcedUna = firstSn;
    }

    int segments() {
        return segments;
    }

    /** Returns {@code true} if the peer has announced an open window. */
    boolean isKnown() {
        return largest != 0;
    }

    /**
     * Returns the {@code una} of the segment that announced the current window. A later recovered segment may have contained a newer
     * {@code una}.
     */
    int announcedUna() {
        return announcedUna;
    }

    int firstSn() {
        return firstSn;
    }

    /** Records a lower bound of the peer's window. The peer announces less while an incomplete message occupies a part of the window. */
    void raiseLargest(int window) {
        largest = Math.max(largest, window);
    }

    /** Returns a description of the current limit on message fragments for use in an error message. */
    String limitName() {
        return isKnown() && largest < KcpConfig.MAX_FRAGMENTS ? "the peer's largest window so far, " + largest + " segments"
            : KcpConfig.MAX_FRAGMENTS + " fragments";
    }

    int largest() {
        return largest == 0 ? INITIAL_SEGMENTS : largest;
    }

    /**
     * Processes the {@code una} and {@code wnd} of an inbound segment.
     *
     * @param recovered {@code true} if FEC recovered the datagram, so that {@code wnd} is out of date
     * @return {@code true} if the segment is not older than the newest received one
     */
    boolean update(int una, int wnd, boolean recovered) {
        if (SerialNumber.isBefore(una, newestUna)) {
            return false;
        }
        newestUna = una;
        if (!recovered) {
            segments = wnd;
            announcedUna = una;
            // An announced window of 0 reveals nothing about the size of the peer's window, because a peer that is short of memory also
            // announces 0.
            largest = Math.max(largest, largest == 0 && wnd > 0 && wnd < INITIAL_SEGMENTS ? firstGuess(una, wnd) : wnd);
        }
        return true;
    }

    /**
     * Returns an upper bound of the peer's window, computed from the first announced window, which is smaller than 32 segments. Unread
     * segments may occupy a part of the window.
     */
    private int firstGuess(int una, int wnd) {
        return Math.min(wnd + SerialNumber.diff(una, firstSn), INITIAL_SEGMENTS);
    }
}
