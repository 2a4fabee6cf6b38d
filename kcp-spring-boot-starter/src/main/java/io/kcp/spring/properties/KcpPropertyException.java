package io.kcp.spring.properties;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A property has a value that makes no sense. */
public final class KcpPropertyException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Its full name. */
    private final String property;
    /** What is wrong; never has a secret in it. */
    private final String problem;
    /** What to do. */
    private final String remedy;

    KcpPropertyException(String property, String problem, String remedy, @Nullable Throwable cause) {
        super(property + ": " + problem + ". " + remedy + '.', cause);
        this.property = property;
        this.problem = problem;
        this.remedy = remedy;
    }

    /**
     * Returns the full name of the property.
     *
     * @return such as {@code kcp.server.crypt.type}
     */
    public String property() {
        return property;
    }

    String problem() {
        return problem;
    }

    String remedy() {
        return remedy;
    }
}
