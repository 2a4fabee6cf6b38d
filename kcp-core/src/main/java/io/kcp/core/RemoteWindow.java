package io.kcp.core;

/** The peer's receive window as its segments tell it: only segments that are not older than the newest heard count. */
final class RemoteWindow {

    /** Before the first datagram, as in kcp-go. */
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

    /** Returns whether the peer has shown an open window yet. */
    boolean isKnown() {
        return largest != 0;
    }

    /** Returns the {@code una} that came with the window; {@link #update} may have taken in a newer one without a window. */
    int announcedUna() {
        return announcedUna;
    }

    int firstSn() {
        return firstSn;
    }

    /** Notes a window that the peer has at least, though it announces less while an incomplete message takes its slots. */
    void raiseLargest(int window) {
        largest = Math.max(largest, window);
    }

    /** Returns what limits the fragments of a message now. */
    String limitName() {
        return isKnown() && largest < KcpConfig.MAX_FRAGMENTS ? "the peer's largest window so far, " + largest + " segments"
            : KcpConfig.MAX_FRAGMENTS + " fragments";
    }

    int largest() {
        return largest == 0 ? INITIAL_SEGMENTS : largest;
    }

    /**
     * Takes in what a segment says.
     *
     * @param late whether its {@code wnd} is out of date anyway: FEC made the datagram
     * @return whether the segment is not older than the newest heard
     */
    boolean update(int una, int wnd, boolean late) {
        if (SerialNumber.isBefore(una, newestUna)) {
            return false;
        }
        newestUna = una;
        if (!late) {
            segments = wnd;
            announcedUna = una;
            // A closed window says nothing about its size: the peer may be short of memory.
            largest = Math.max(largest, largest == 0 && wnd > 0 && wnd < INITIAL_SEGMENTS ? firstGuess(una, wnd) : wnd);
        }
        return true;
    }

    /** A first word of a small window: what came before it may still be unread, and then took its slots. */
    private int firstGuess(int una, int wnd) {
        return Math.min(wnd + SerialNumber.diff(una, firstSn), INITIAL_SEGMENTS);
    }
}
