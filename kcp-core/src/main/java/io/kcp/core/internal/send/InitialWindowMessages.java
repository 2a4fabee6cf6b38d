package io.kcp.core.internal.send;

import io.kcp.core.MessageTooLargeException;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.base.SerialNumber;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the messages that were queued before the peer's receive window was known and that exceed the assumed window of 32 segments. The
 * first segments of such a message are sent as far as the initial window allows, and the windows in the peer's acknowledgements show
 * whether it can hold the message. If several such messages are queued, each one that is larger than all previous ones is accepted or
 * refused in turn.
 *
 * <p>The peer's window is the sum of three numbers: the {@code wnd} that it announces, the segments of the message that it has received,
 * which are not readable before the message is complete, and earlier segments that its application has not read. Only the last number is
 * unknown. It lies between 0 and the number of earlier segments, so each announcement bounds the window from below and from above. The
 * message is accepted as soon as it fits in the lower bound. It is refused if it exceeds the upper bound and the peer has either received
 * everything that was sent or keeps refusing a segment. If neither is the case, the message stays pending until the zero-window timeout.
 *
 * <p>A {@code wnd} of 0 is not an upper bound, because a peer that is short of memory announces it too. The {@code wnd} of a peer that
 * lacks an earlier segment is not an upper bound either, because it may cover only the rest of an earlier message.
 */
public final class InitialWindowMessages {

    /** An instance that tracks no message. Conversations whose first messages are short share it, because no method changes it. */
    static final InitialWindowMessages NONE = new InitialWindowMessages();

    /** Number of unacknowledged transmissions after which a segment is considered refused by the peer rather than lost. */
    private static final int REFUSED_TRANSMISSIONS = 3;

    /** A message whose size the peer has neither accepted nor refused. */
    private static final class Message {
        final int fragments;
        final int bytes;
        final int startSn;
        @Nullable Message next;

        Message(int fragments, int bytes, int startSn) {
            this.fragments = fragments;
            this.bytes = bytes;
            this.startSn = startSn;
        }
    }

    /** The first pending message. Pending messages form a linked list in sending order, and each one is larger than its predecessor. */
    private @Nullable Message pending;
    private @Nullable Message last;
    /**
     * Upper bound of the peer's window, in segments. It is updated only by acknowledgements that cover everything before the message and
     * announce an open window.
     */
    private int mostSegments = Integer.MAX_VALUE;
    private @Nullable MessageTooLargeException failure;

    private InitialWindowMessages() {
        // All instances except NONE are created by onQueued().
    }

    /**
     * Records a message that was queued before the peer's window was known.
     *
     * @return the object that tracks the message: this object, or a new one if this object is {@link #NONE} and the message exceeds the
     *         assumed window
     */
    InitialWindowMessages onQueued(int messageFragments, int messageBytes, int firstSnOfMessage) {
        Message before = last;
        if (messageFragments <= (before == null ? ProtocolConstants.INITIAL_WINDOW_SEGMENTS : before.fragments)) {
            return this;
        }
        InitialWindowMessages tracking = this == NONE ? new InitialWindowMessages() : this;
        Message message = new Message(messageFragments, messageBytes, firstSnOfMessage);
        if (before == null) {
            tracking.pending = message;
        } else {
            before.next = message;
        }
        tracking.last = message;
        return tracking;
    }

    /**
     * Returns {@code true} if a message of more than 32 segments is queued and the peer has neither accepted nor refused its size.
     *
     * @return {@code true} until an acknowledgement from the peer decides
     */
    public boolean isPending() {
        return pending != null;
    }

    /**
     * Accepts or refuses the pending message if the windows announced by the peer allow a decision. To be called after each datagram while
     * the message is pending.
     */
    void onAnswer(RemoteWindow window, SendWindow sent, int mssBytes) {
        Message message = pending;
        while (message != null && leastSegments(message, window) >= message.fragments) {
            window.raiseLargest(leastSegments(message, window));
            mostSegments = Integer.MAX_VALUE;
            message = message.next;
        }
        pending = message;
        if (message == null) {
            last = null;
            return;
        }
        if (window.segments() > 0 && window.isKnown() && SerialNumber.diff(window.announcedUna(), message.startSn) >= 0) {
            mostSegments = window.segments() + SerialNumber.diff(window.announcedUna(), window.firstSn());
        }
        if (mostSegments < message.fragments && (sent.isEmpty() || isRefused(sent))) {
            failure = tooLarge(message, mostSegments, mssBytes);
            pending = null;
            last = null;
        }
    }

    /**
     * Returns {@code true} if the peer's window is known and a segment of the message was sent several times without being acknowledged.
     */
    boolean isStuck(RemoteWindow window, SendWindow sent) {
        Message message = pending;
        return message != null && window.isKnown() && SerialNumber.diff(sent.oldestUnacked(), message.startSn) >= 0 && isRefused(sent);
    }

    /**
     * Fails the pending message because the peer has accepted no further segment of it within the zero-window timeout. The message stays
     * pending.
     */
    void onTimeout(RemoteWindow window, int mssBytes) {
        Message message = pending;
        if (message == null || failure != null) {
            return;
        }
        int least = leastSegments(message, window);
        if (least > 0) {
            failure = tooLarge(message, least, mssBytes);
        }
    }

    private static boolean isRefused(SendWindow sent) {
        return sent.oldestTransmissions() >= REFUSED_TRANSMISSIONS;
    }

    private static int leastSegments(Message message, RemoteWindow window) {
        return window.segments() + Math.max(0, SerialNumber.diff(window.announcedUna(), message.startSn));
    }

    private static MessageTooLargeException tooLarge(Message message, int segments, int mssBytes) {
        return new MessageTooLargeException(message.bytes, segments * mssBytes, "the peer's window, " + segments + " segments");
    }

    /**
     * Returns the exception for a message that the peer cannot hold. Because part of the message was already sent, the conversation cannot
     * continue and its owner must close it.
     *
     * @return the exception, or null if the message has not failed
     */
    public @Nullable MessageTooLargeException failure() {
        return failure;
    }
}
