package io.kcp.netty.internal.admission;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Limits the rate at which a datagram channel sets up sessions after repeated failures, because each failure logs a stack trace. After
 * {@value #FAILURES_IN_A_ROW} consecutive failures it allows one attempt per {@value #RETRY_MS} ms, until an attempt succeeds.
 */
public final class SetupFailures {

    /** Number of consecutive failures after which the rate of setup attempts is limited. */
    public static final int FAILURES_IN_A_ROW = 8;
    /** Minimum interval in milliseconds between setup attempts while their rate is limited. */
    public static final int RETRY_MS = 5_000;

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance("io.kcp.netty.KcpHandler");

    private int failures;
    private long failedAtMs;
    private @Nullable Channel opening;
    private boolean openingFailed;

    /** Returns {@code true} if the rate limit allows setting up a session now. */
    public boolean mayTry(long nowMs) {
        return failures < FAILURES_IN_A_ROW || nowMs - failedAtMs >= RETRY_MS;
    }

    /** Logs and counts a failed setup of a session whose options or handler were refused. */
    public void onRefusedOption(Channel datagramChannel, Channel session, Throwable mistake, long nowMs) {
        LOGGER.warn("Cannot set up the session {} on the datagram channel {}: an option or the handler was refused", session,
            datagramChannel, mistake);
        onFailed(datagramChannel, nowMs);
    }

    /** Starts a setup attempt. Must be called before the registration of the session, which calls its initializer. */
    public void begin(Channel session) {
        opening = session;
        openingFailed = false;
    }

    /**
     * Detects whether a session closed because its initializer threw an exception. An initializer that closes the session itself rejects
     * the peer, which is not counted as a failure.
     */
    public void onClosed(Channel session) {
        if (session == opening) {
            openingFailed = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames.anyMatch(
                frame -> frame.getDeclaringClass() == ChannelInitializer.class && frame.getMethodName().equals("exceptionCaught")));
        }
    }

    /**
     * Records that the handler of the registered session threw an exception in {@code handlerAdded} and was removed. Netty has logged the
     * exception.
     */
    public void onHandlerLost() {
        openingFailed = true;
    }

    /** Ends the setup attempt and counts it as a success or a failure. */
    public void end(Channel datagramChannel, long nowMs) {
        opening = null;
        if (openingFailed) {
            onFailed(datagramChannel, nowMs);
        } else {
            failures = 0;
        }
    }

    private void onFailed(Channel datagramChannel, long nowMs) {
        failedAtMs = nowMs;
        if (++failures == FAILURES_IN_A_ROW) {
            LOGGER.warn("{} failed to set up {} sessions in a row. It now attempts at most one setup every {} ms until one succeeds. "
                + "The warnings above contain the cause.", datagramChannel, FAILURES_IN_A_ROW, RETRY_MS);
        }
    }
}
