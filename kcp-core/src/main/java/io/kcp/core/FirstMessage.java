package io.kcp.core;

import org.jspecify.annotations.Nullable;

/**
 * The messages above 32 segments that were queued before the peer's window was known. The first segments of the first one
 * ask for it: they are sent as far as the initial window allows, and the answer shows whether the peer can hold the message.
 */
public final class FirstMessage {

    private int fragments;
    private int bytes;
    private int startSn;
    private @Nullable MessageTooLargeException failure;

    FirstMessage() {
        // one for each conversation
    }

    /** Notes a message that was queued while the window was unknown. */
    void onQueued(int messageFragments, int messageBytes, int firstSnOfMessage) {
        if (messageFragments > RemoteWindow.INITIAL_SEGMENTS && fragments == 0) {
            startSn = firstSnOfMessage;
        }
        if (messageFragments > Math.max(fragments, RemoteWindow.INITIAL_SEGMENTS)) {
            fragments = messageFragments;
            bytes = messageBytes;
        }
    }

    /**
     * Returns whether such a message was queued and the peer's window is still unknown.
     *
     * @return {@code true} until the first datagram of the peer
     */
    public boolean isPending() {
        return fragments > 0;
    }

    /**
     * Judges by what the peer shows. Its window is what it announces plus the segments that it has received and cannot read:
     * those of the incomplete message, and at most those before it.
     */
    void onWindow(RemoteWindow window, int mssBytes) {
        int wnd = window.segments();
        int una = window.newestUna();
        int most = wnd + SerialNumber.diff(una, window.firstSn());
        if (fragments > most) {
            failure = new MessageTooLargeException(bytes, most * mssBytes, "the peer's window, " + most + " segments");
        }
        fragments = 0;
        window.raiseLargest(wnd + Math.max(0, SerialNumber.diff(una, startSn)));
    }

    /**
     * Returns why the conversation cannot go on: part of a message was sent that the peer cannot hold. The owner closes it.
     *
     * @return the failure, null if there is none
     */
    public @Nullable MessageTooLargeException failure() {
        return failure;
    }
}
