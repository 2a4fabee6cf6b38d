package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Limits how often a datagram channel tries to set up sessions while that fails, because each failure logs a stack trace: after
 * {@value #FAILURES_IN_A_ROW} failures in a row once every {@value #RETRY_MS} ms, until a session is set up.
 */
final class SetupFailures {

    static final int FAILURES_IN_A_ROW = 8;
    static final int RETRY_MS = 5_000;

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(KcpHandler.class);

    private int failures;
    private long failedAtMs;
    private @Nullable DefaultKcpChannel opening;
    private boolean openingFailed;

    boolean mayTry(long nowMs) {
        return failures < FAILURES_IN_A_ROW || nowMs - failedAtMs >= RETRY_MS;
    }

    /** Notes that a session did not get its options or its handler. */
    void onRefusedOption(Channel datagramChannel, DefaultKcpChannel session, Throwable mistake, long nowMs) {
        LOGGER.warn("Cannot set up {} on {}", session, datagramChannel, mistake);
        onFailed(datagramChannel, nowMs);
    }

    /** Notes that a session is about to be registered, by which its initializer is called. */
    void begin(DefaultKcpChannel session) {
        opening = session;
        openingFailed = false;
    }

    /** Notes that a session was closed. Only an initializer that threw is a failure: one may also close the session to refuse it. */
    void onClosed(DefaultKcpChannel session) {
        if (session == opening) {
            openingFailed = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames.anyMatch(
                frame -> frame.getDeclaringClass() == ChannelInitializer.class && frame.getMethodName().equals("exceptionCaught")));
        }
    }

    /** Notes that the session which was registered has no handler, because that threw. Netty logged the exception. */
    void onHandlerLost() {
        openingFailed = true;
    }

    /** Notes that the registration is over. */
    void end(Channel datagramChannel, long nowMs) {
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
            LOGGER.warn("{} could not set up {} sessions in a row and tries at most one every {} ms from now on, until one succeeds: "
                + "the warnings above name the cause", datagramChannel, FAILURES_IN_A_ROW, RETRY_MS);
        }
    }
}
