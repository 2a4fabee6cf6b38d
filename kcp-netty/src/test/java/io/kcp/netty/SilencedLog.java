package io.kcp.netty;

import java.util.logging.Logger;

/** Keeps the log events of this library and of Netty out of the output of tests that cause thousands of failures. */
final class SilencedLog {

    private SilencedLog() {
    }

    static void during(Runnable test) {
        Logger logger = Logger.getLogger("io");
        logger.setUseParentHandlers(false);
        try {
            test.run();
        } finally {
            logger.setUseParentHandlers(true);
        }
    }
}
