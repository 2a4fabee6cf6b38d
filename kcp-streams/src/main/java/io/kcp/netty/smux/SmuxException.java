package io.kcp.netty.smux;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Signals that a smux stream or the whole parent channel was closed, or that a stream could not be opened.
 * {@link SmuxStreamChannel#closeCause()} and {@link SmuxHandler#closeCause()} return this exception, and it is the cause of failed writes.
 *
 * <p>The exception has no stack trace, because the code location at which the error was detected gives no useful information.
 */
public final class SmuxException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The reason. */
    private final SmuxError error;

    SmuxException(SmuxError error, String subject, @Nullable Throwable cause) {
        super(subject + ": " + error.text(), cause);
        this.error = error;
    }

    SmuxException(SmuxError error, String subject) {
        this(error, subject, null);
    }

    /**
     * Returns the reason.
     *
     * @return the reason
     */
    public SmuxError error() {
        return error;
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
