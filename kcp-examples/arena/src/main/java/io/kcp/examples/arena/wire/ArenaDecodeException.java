package io.kcp.examples.arena.wire;

import java.io.Serial;

/** Bytes that are no message. Has no stack trace: it is the sender's mistake. */
public final class ArenaDecodeException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    private final DecodeProblem problem;

    ArenaDecodeException(DecodeProblem problem, String message) {
        super(problem + ": " + message, null, false, false);
        this.problem = problem;
    }

    /**
     * Returns what kind of mistake it is.
     *
     * @return the problem
     */
    public DecodeProblem problem() {
        return problem;
    }
}
