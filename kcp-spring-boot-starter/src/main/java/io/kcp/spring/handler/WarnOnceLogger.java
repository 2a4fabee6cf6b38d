package io.kcp.spring.handler;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;

/** Logs the first exception of each type as a warning and all later ones at debug level, so that peers cannot flood the log. */
final class WarnOnceLogger {

    /** Name of Netty's decoder exception, whose class is in the optional dependency netty-codec-base. */
    private static final String DECODER_EXCEPTION = "io.netty.handler.codec.DecoderException";

    /** Exception types that have been logged as a warning. The number of exception classes limits the size of this set. */
    private final Set<Class<?>> logged = ConcurrentHashMap.newKeySet();

    /** Logs an exception. Any thread may call this method. */
    void log(Log log, String message, Throwable thrown) {
        if (logged.add(typeOf(thrown))) {
            log.warn(message + "; further exceptions of this type are logged at debug level", thrown);
        } else {
            log.debug(message, thrown);
        }
    }

    /** Returns {@code true} if an exception was caused by malformed data from a peer. */
    static boolean isMalformedInput(Throwable thrown) {
        Class<?> type = thrown.getClass();
        while (type != null && type != KcpMessageException.class && !type.getName().equals(DECODER_EXCEPTION)) {
            type = type.getSuperclass();
        }
        return type != null;
    }

    /** Returns the exception type for which a warning is logged once: for a decoder exception, the type of the exception that it wraps. */
    private static Class<?> typeOf(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return (cause != null && thrown.getClass().getName().equals(DECODER_EXCEPTION) ? cause : thrown).getClass();
    }
}
