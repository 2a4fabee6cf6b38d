package io.kcp.netty;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Records the log events of a logger and its children, from creation until this object is closed. */
public final class RecordedLog implements AutoCloseable {

    private final List<LogRecord> records = Collections.synchronizedList(new ArrayList<>());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            records.add(logged);
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };
    private final Logger logger;

    /**
     * Starts recording.
     *
     * @param loggerName the name of a package or class, whose child loggers are recorded too
     */
    public RecordedLog(String loggerName) {
        logger = Logger.getLogger(loggerName);
        logger.addHandler(handler);
    }

    public List<LogRecord> records() {
        synchronized (records) {
            return List.copyOf(records);
        }
    }

    public List<String> messages() {
        return records().stream().map(LogRecord::getMessage).toList();
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
