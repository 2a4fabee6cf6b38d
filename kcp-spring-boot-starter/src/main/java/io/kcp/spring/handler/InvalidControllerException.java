package io.kcp.spring.handler;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Thrown at startup when a {@link KcpController} is declared incorrectly. */
final class InvalidControllerException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String problem;
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
