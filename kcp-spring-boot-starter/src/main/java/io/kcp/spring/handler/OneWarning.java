package io.kcp.spring.handler;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;

/** Of what peers can cause, the first is a warning and more of it goes to the debug level, so that they cannot flood the log. */
final class OneWarning {

    private final AtomicBoolean given = new AtomicBoolean();

    /** Logs what happened; any thread. */
    void log(Log log, String message, Throwable thrown) {
        if (given.compareAndSet(false, true)) {
            log.warn(message + "; more of these are logged at debug level", thrown);
        } else {
            log.debug(message, thrown);
        }
    }
}
