package io.kcp.core;

import org.jspecify.annotations.Nullable;

/**
 * The largest message above 32 segments that was queued before the peer's window was known. Its first segments are sent as far
 * as the initial window allows, and the answers of the peer show whether it can hold the message.
 *
 * <p>The peer's window is the {@code wnd} that it announces, plus the received segments of the message, which is not readable
 * before it is complete, plus earlier segments that its application has not read. The last of these numbers is unknown. It is
 * between 0 and the number of earlier segments, so each answer bounds the window from below and from above. The message is
 * accepted as soon as the lower bound holds it. It is refused when the upper bound does not hold it and the peer has received
 * all that was sent, or keeps refusing a segment. A message between the bounds stays pending; the zero-window timeout limits
 * that time.
 *
 * <p>A {@code wnd} of 0 is no upper bound, because a peer that is short of memory announces it too. Neither is the {@code wnd} of a
 * peer that lacks an earlier segment: such a peer may announce room for the rest of an earlier message only.
 */
public final class FirstMessage {

    /** A segment that was sent this often without an acknowledgement was probably refused, not lost. */
    private static final int REFUSED_TRANSMISSIONS = 3;

    private int fragments;
    private int bytes;
    private int startSn;
    /** The upper bound of the latest answer with an open window and everything before the message received. */
    private int mostSegments = Integer.MAX_VALUE;
    private @Nullable MessageTooLargeException failure;

    FirstMessage() {
        // created by Sender, one for each conversation
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
     * Returns whether a message above 32 segments is queued and its size has been neither accepted nor refused.
     *
     * @return {@code true} until an answer of the peer decides
     */
    public boolean isPending() {
        return fragments > 0;
    }

    /** Decides from the windows announced so far. To be called after each datagram while the message is pending. */
    void onAnswer(RemoteWindow window, SendWindow sent, int mssBytes) {
        int least = leastSegments(window);
        if (least >= fragments) {
            fragments = 0;
            window.raiseLargest(least);
            return;
        }
        if (window.segments() > 0 && window.isKnown() && SerialNumber.diff(window.announcedUna(), startSn) >= 0) {
            mostSegments = window.segments() + SerialNumber.diff(window.announcedUna(), window.firstSn());
        }
        if (mostSegments < fragments && (sent.isEmpty() || isRefused(sent))) {
            failure = tooLarge(mostSegments, mssBytes);
            fragments = 0;
        }
    }

    /** Returns {@code true} if the peer, whose window is known, has not accepted a segment of the message that was sent several times. */
    boolean isStuck(RemoteWindow window, SendWindow sent) {
        return isPending() && window.isKnown() && SerialNumber.diff(sent.oldestUnacked(), startSn) >= 0 && isRefused(sent);
    }

    /** Fails the message because the peer has accepted no more of it for the zero-window timeout. It stays pending. */
    void onTimeout(RemoteWindow window, int mssBytes) {
        int least = leastSegments(window);
        if (isPending() && failure == null && least > 0) {
            failure = tooLarge(least, mssBytes);
        }
    }

    private static boolean isRefused(SendWindow sent) {
        return sent.oldestTransmissions() >= REFUSED_TRANSMISSIONS;
    }

    private int leastSegments(RemoteWindow window) {
        return window.segments() + Math.max(0, SerialNumber.diff(window.announcedUna(), startSn));
    }

    private MessageTooLargeException tooLarge(int segments, int mssBytes) {
        return new MessageTooLargeException(bytes, segments * mssBytes, "the peer's window, " + segments + " segments");
    }

    /**
     * Returns the failure of the message. Because part of it was sent already, the conversation cannot continue, and the owner closes it.
     *
     * @return the failure, null if the message has not failed
     */
    public @Nullable MessageTooLargeException failure() {
        return failure;
    }
}
