package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.internal.base.ProtocolConstants;

/** A peer that sends as many segments per round trip as the announced window permits. */
final class Upload {

    static final int ROUND_TRIP_MS = 40;
    static final byte[] PAYLOAD = new byte[1_376];

    final DrivenKcp receiver;
    private int una;
    int end = ProtocolConstants.INITIAL_WINDOW_SEGMENTS;
    int nextSn;

    Upload(DrivenKcp receiver) {
        this.receiver = receiver;
    }

    /** Fills the window, lets the application read if {@code reads} is set, and waits for one round trip. */
    void roundTrip(boolean reads) {
        for (; nextSn < end; nextSn++) {
            receiver.input(WireSegment.push(nextSn, receiver.nowMs(), PAYLOAD));
        }
        if (reads) {
            receiver.receiveAll();
        }
        for (WireSegment segment : receiver.flush()) {
            assertThat(segment.una() + segment.wnd()).as("the end of the announced window").isGreaterThanOrEqualTo(end);
            una = segment.una();
            end = una + segment.wnd();
        }
        receiver.advance(ROUND_TRIP_MS);
    }

    int window() {
        return end - una;
    }
}
