package io.kcp.netty;

import io.netty.channel.ChannelPromise;
import java.nio.channels.ClosedChannelException;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The end of one session: the failure that its application reported, the cause that the session closes with, and what was delivered. */
final class SessionEnd {

    /** For sessions that close because there is no memory. */
    private static final Map<KcpCloseReason, KcpCloseException> UNDESCRIBED = new EnumMap<>(KcpCloseReason.class);

    static {
        for (KcpCloseReason reason : KcpCloseReason.values()) {
            UNDESCRIBED.put(reason, new KcpCloseException(reason, "a session that there was no memory to describe", 0, null));
        }
    }

    private final DefaultKcpChannel session;
    private volatile @Nullable Throwable cause;
    private volatile @Nullable Throwable applicationFailure;
    private boolean byApplication;
    private boolean delivered;

    SessionEnd(DefaultKcpChannel session) {
        this.session = session;
    }

    /** Returns the cause of the end, null if there is none yet or the application closed the session without failure. */
    @Nullable Throwable cause() {
        return cause;
    }

    /** Notes that the application closes the session because of a failure; the first failure counts. From any thread. */
    void onApplicationFailure(Throwable failure) {
        if (applicationFailure == null) {
            applicationFailure = failure;
        }
    }

    boolean hasApplicationFailed() {
        return applicationFailure != null;
    }

    /** Returns {@code true} unless the session closes for a reason that its application did not ask for. */
    boolean isByApplication() {
        return cause == null || byApplication;
    }

    /** Sets and returns the cause of an end; a failure that the application reported takes precedence over the reason given. */
    KcpCloseException because(KcpCloseReason reason, @Nullable Throwable failure) {
        Throwable earlier = applicationFailure;
        KcpCloseReason counted = earlier == null ? reason : KcpCloseReason.APPLICATION_FAILED;
        Throwable reported = earlier == null ? failure : earlier;
        if (reported instanceof KcpRejectedException) {
            counted = KcpCloseReason.REJECTED;
        }
        KcpCloseException ended = exception(counted, reported);
        cause = ended;
        return ended;
    }

    private KcpCloseException exception(KcpCloseReason reason, @Nullable Throwable failure) {
        try {
            return new KcpCloseException(reason, session.description(), session.unacknowledgedBytes(), failure);
        } catch (OutOfMemoryError shortage) {
            // Closing the session gives memory back, so it must not fail for want of a text.
            KcpCloseException undescribed = UNDESCRIBED.get(reason);
            assert undescribed != null;
            return undescribed;
        }
    }

    /**
     * Notes that the application closes the session.
     *
     * @param allDelivered whether the peer has acknowledged everything
     * @return the cause of the end, null if all was delivered and the application reported no failure
     */
    @Nullable KcpCloseException byApplication(boolean allDelivered) {
        byApplication = true;
        delivered = allDelivered;
        if (allDelivered && applicationFailure == null) {
            cause = null;
            return null;
        }
        return because(KcpCloseReason.LINGER_EXPIRED, null);
    }

    /** Completes the promise of a {@code close()}; to be called when the session is closed. */
    void complete(ChannelPromise promise) {
        Throwable failure = cause;
        if (failure == null || delivered) {
            promise.trySuccess();
        } else {
            promise.tryFailure(failure);
        }
    }

    ClosedChannelException closedException() {
        return (ClosedChannelException) new ClosedChannelException().initCause(cause);
    }
}
