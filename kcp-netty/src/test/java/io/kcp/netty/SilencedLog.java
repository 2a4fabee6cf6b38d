package io.kcp.netty;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Turns off the log of this library and of Netty in tests that cause thousands of failures. Each logged event would also allocate several
 * KiB, because Netty determines the caller from a stack trace.
 */
final class SilencedLog {

    private static final Logger LOGGER = Logger.getLogger("io");

    private SilencedLog() {
    }

    static void during(Runnable test) {
        Level before = LOGGER.getLevel();
        LOGGER.setLevel(Level.OFF);
        try {
            test.run();
        } finally {
            LOGGER.setLevel(before);
        }
    }
}
