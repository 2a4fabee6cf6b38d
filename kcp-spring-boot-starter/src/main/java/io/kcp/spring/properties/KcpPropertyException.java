package io.kcp.spring.properties;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Thrown when a KCP property has an invalid value. */
public final class KcpPropertyException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String property;
    /** Description of the error, which never contains a secret. */
    private final String problem;
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
     * @return the name, such as {@code kcp.server.crypt.type}
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
