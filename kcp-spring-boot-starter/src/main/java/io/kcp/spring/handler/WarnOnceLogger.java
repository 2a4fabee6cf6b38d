package io.kcp.spring.handler;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;

/** Logs the first exception of each type as a warning and all others at debug level, so that peers cannot flood the log. */
final class WarnOnceLogger {

    /** A name, because the class is in netty-codec-base, which is optional. */
    private static final String DECODER_EXCEPTION = "io.netty.handler.codec.DecoderException";

    /** Bounded by the number of exception classes. */
    private final Set<Class<?>> logged = ConcurrentHashMap.newKeySet();

    /** Logs an exception. Any thread. */
    void log(Log log, String message, Throwable thrown) {
        if (logged.add(typeOf(thrown))) {
            log.warn(message + "; further exceptions of this type are logged at debug level", thrown);
        } else {
            log.debug(message, thrown);
        }
    }

    /** Returns {@code true} if an exception means that a peer has sent malformed data. */
    static boolean isMalformedInput(Throwable thrown) {
        Class<?> type = thrown.getClass();
        while (type != null && type != KcpMessageException.class && !type.getName().equals(DECODER_EXCEPTION)) {
            type = type.getSuperclass();
        }
        return type != null;
    }

    /** Returns the type that is logged once. Decoders wrap the original exception. */
    private static Class<?> typeOf(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return (cause != null && thrown.getClass().getName().equals(DECODER_EXCEPTION) ? cause : thrown).getClass();
    }
}
