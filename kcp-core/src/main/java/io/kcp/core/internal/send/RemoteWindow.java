package io.kcp.core.internal.send;

import io.kcp.core.KcpConfig;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.base.SerialNumber;

/** Tracks the receive window that the peer announces. Segments that are older than the newest received one do not change the window. */
public final class RemoteWindow {

    private int segments = ProtocolConstants.INITIAL_WINDOW_SEGMENTS;
    private int largest;
    private int newestUna;
    private int announcedUna;
    private final int firstSn;

    RemoteWindow(int firstSn) {
        this.firstSn = firstSn;
        newestUna = firstSn;
        announcedUna = firstSn;
    }

    public int segments() {
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
        return largest == 0 ? ProtocolConstants.INITIAL_WINDOW_SEGMENTS : largest;
    }

    /**
     * Processes the {@code una} and {@code wnd} of an inbound segment.
     *
     * @param recovered {@code true} if FEC recovered the datagram, so that {@code wnd} is out of date
     * @return {@code true} if the segment is not older than the newest received one
     */
    public boolean update(int una, int wnd, boolean recovered) {
        if (SerialNumber.isBefore(una, newestUna)) {
            return false;
        }
        newestUna = una;
        if (!recovered) {
            segments = wnd;
            announcedUna = una;
            // An announced window of 0 reveals nothing about the size of the peer's window, because a peer that is short of memory also
            // announces 0.
            boolean isFirst = largest == 0 && wnd > 0 && wnd < ProtocolConstants.INITIAL_WINDOW_SEGMENTS;
            largest = Math.max(largest, isFirst ? firstGuess(una, wnd) : wnd);
        }
        return true;
    }

    /**
     * Returns an upper bound of the peer's window, computed from the first announced window, which is smaller than 32 segments. Unread
     * segments may occupy a part of the window.
     */
    private int firstGuess(int una, int wnd) {
        return Math.min(wnd + SerialNumber.diff(una, firstSn), ProtocolConstants.INITIAL_WINDOW_SEGMENTS);
    }
}
