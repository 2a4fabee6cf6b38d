package io.kcp.spring.handler;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A {@link KcpController} cannot work as it is written. */
final class InvalidControllerException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** What is wrong and where. */
    private final String problem;
    /** What to do. */
    private final String remedy;

    InvalidControllerException(String problem, String remedy) {
        this(problem, remedy, null);
    }

    InvalidControllerException(String problem, String remedy, @Nullable Throwable cause) {
        super(problem + ". " + remedy + '.', cause);
        this.problem = problem;
        this.remedy = remedy;
    }

    String problem() {
        return problem;
    }

    String remedy() {
        return remedy;
    }
}
