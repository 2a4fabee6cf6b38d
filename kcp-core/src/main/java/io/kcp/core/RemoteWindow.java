package io.kcp.core;

/** The receive window that the peer announces. Segments that are older than the newest received one do not change it. */
final class RemoteWindow {

    /** The window before the first datagram of the peer, as in kcp-go. */
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

    /** Returns the {@code una} of the segment that announced the window. A later recovered segment may have had a newer {@code una}. */
    int announcedUna() {
        return announcedUna;
    }

    int firstSn() {
        return firstSn;
    }

    /** Notes a lower bound of the peer's window, which announces less while an incomplete message occupies slots. */
    void raiseLargest(int window) {
        largest = Math.max(largest, window);
    }

    /** Returns a description of the current limit on the fragments of a message, for an error message. */
    String limitName() {
        return isKnown() && largest < KcpConfig.MAX_FRAGMENTS ? "the peer's largest window so far, " + largest + " segments"
            : KcpConfig.MAX_FRAGMENTS + " fragments";
    }

    int largest() {
        return largest == 0 ? INITIAL_SEGMENTS : largest;
    }

    /**
     * Applies {@code una} and {@code wnd} of a segment.
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
            // A closed window does not show the size of the window, because the peer may be short of memory.
            largest = Math.max(largest, largest == 0 && wnd > 0 && wnd < INITIAL_SEGMENTS ? firstGuess(una, wnd) : wnd);
        }
        return true;
    }

    /** Returns an upper bound of a small window announced first: earlier segments may be unread and occupy slots. */
    private int firstGuess(int una, int wnd) {
        return Math.min(wnd + SerialNumber.diff(una, firstSn), INITIAL_SEGMENTS);
    }
}
