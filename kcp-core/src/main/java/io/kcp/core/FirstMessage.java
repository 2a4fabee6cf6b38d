package io.kcp.core;

import org.jspecify.annotations.Nullable;

/**
 * The largest message above 32 segments that was queued before the peer's window was known. Its first segments are sent as far
 * as the initial window allows, and what the peer answers shows whether it can hold the message.
 *
 * <p>The peer's window is the {@code wnd} that it announces, plus the received segments of the message, which is not readable
 * before it is complete, plus earlier segments that its application has not read. The last of these numbers is unknown. It lies
 * between 0 and the number of earlier segments, so each answer bounds the window from below and from above. The message is
 * accepted as soon as the lower bound holds it. It is refused when the upper bound does not hold it and the peer has received
 * all that was sent, or keeps refusing a segment. A message between the bounds stays pending; the zero-window timeout limits
 * that time.
 *
 * <p>A {@code wnd} of 0 is no bound, because a peer that is short of memory announces it too.
 */
public final class FirstMessage {

    /** A segment that was sent so often was probably refused, not lost. */
    private static final int REFUSED_TRANSMISSIONS = 3;

    private int fragments;
    private int bytes;
    private int startSn;
    /** The upper bound of the latest answer with an open window. */
    private int mostSegments = Integer.MAX_VALUE;
    private @Nullable MessageTooLargeException failure;

    FirstMessage() {
        // one for each conversation
    }

    /** Notes a message that was queued while the window was unknown. */
    void onQueued(int messageFragments, int messageBytes, int firstSnOfMessage) {
        if (messageFragments > Math.max(fragments, RemoteWindow.INITIAL_SEGMENTS)) {
            fragments = messageFragments;
            bytes = messageBytes;
            startSn = firstSnOfMessage;
        }
    }

    /**
     * Returns whether such a message was queued and the peer has not yet shown whether it can hold it.
     *
     * @return {@code true} until the message is accepted or refused
     */
    public boolean isPending() {
        return fragments > 0;
    }

    /** Judges by what the peer has shown so far. To be called after each datagram while the message is pending. */
    void onAnswer(RemoteWindow window, SendWindow sent, int mssBytes) {
        int least = leastSegments(window);
        if (least >= fragments) {
            fragments = 0;
            window.raiseLargest(least);
            return;
        }
        if (window.segments() > 0 && window.isKnown()) {
            mostSegments = window.segments() + SerialNumber.diff(window.announcedUna(), window.firstSn());
        }
        if (mostSegments < fragments && (sent.isEmpty() || isRefused(sent))) {
            fail(mostSegments, mssBytes);
        }
    }

    /** Returns whether the peer, whose window is known, has not taken a segment that was sent several times. */
    boolean isStuck(RemoteWindow window, SendWindow sent) {
        return isPending() && window.isKnown() && isRefused(sent);
    }

    /** Fails the message because the peer has taken no more of it for the zero-window timeout. */
    void onTimeout(RemoteWindow window, int mssBytes) {
        int least = leastSegments(window);
        if (isPending() && least > 0) {
            fail(least, mssBytes);
        }
    }

    private static boolean isRefused(SendWindow sent) {
        return sent.oldestTransmissions() >= REFUSED_TRANSMISSIONS;
    }

    private int leastSegments(RemoteWindow window) {
        return window.segments() + Math.max(0, SerialNumber.diff(window.announcedUna(), startSn));
    }

    private void fail(int windowSegments, int mssBytes) {
        failure = new MessageTooLargeException(bytes, windowSegments * mssBytes, "the peer's window, " + windowSegments + " segments");
        fragments = 0;
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
