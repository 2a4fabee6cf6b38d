package io.kcp.spring.handler;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;

/**
 * Of what peers can cause, the first of each kind is a warning and more of it goes to the debug level, so that they cannot flood the
 * log.
 */
final class OneWarning {

    /** By name: it is in a module that an application without decoders need not have. */
    private static final String DECODER_EXCEPTION = "io.netty.handler.codec.DecoderException";

    /** No more than there are classes of exceptions. */
    private final Set<Class<?>> given = ConcurrentHashMap.newKeySet();

    /** Logs what happened; any thread. */
    void log(Log log, String message, Throwable thrown) {
        if (given.add(kind(thrown))) {
            log.warn(message + "; more of these are logged at debug level", thrown);
        } else {
            log.debug(message, thrown);
        }
    }

    /** Tells whether it is an exception that says that a peer has sent nonsense. */
    static boolean isPeersMistake(Throwable thrown) {
        Class<?> kind = thrown.getClass();
        while (kind != null && kind != KcpMessageException.class && !kind.getName().equals(DECODER_EXCEPTION)) {
            kind = kind.getSuperclass();
        }
        return kind != null;
    }

    /** Decoders wrap what they fail with. */
    private static Class<?> kind(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return (cause != null && thrown.getClass().getName().equals(DECODER_EXCEPTION) ? cause : thrown).getClass();
    }
}
