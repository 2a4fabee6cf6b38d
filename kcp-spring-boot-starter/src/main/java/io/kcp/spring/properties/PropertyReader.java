package io.kcp.spring.properties;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Passes property values to setters of the library, and adds the property name to exceptions that the setters throw. */
final class PropertyReader {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final String prefix;

    /**
     * Creates a reader.
     *
     * @param prefix prefix of the property names, such as {@code kcp.server}
     */
    PropertyReader(String prefix) {
        this.prefix = prefix;
    }

    <T> void set(String name, @Nullable T value, Consumer<T> setter) {
        if (value != null) {
            checked(name, () -> {
                setter.accept(value);
                return value;
            });
        }
    }

    /** Passes a duration to a setter that takes milliseconds. */
    void setMs(String name, @Nullable Duration value, IntConsumer setter) {
        set(name, value, duration -> setter.accept(ms(name, duration)));
    }

    /**
     * Passes a duration that is zero or at least one second to a setter that takes milliseconds. Rejects a shorter duration, which most
     * likely lacks its unit.
     */
    void setMsOfSeconds(String name, @Nullable Duration value, IntConsumer setter) {
        if (value != null && value.compareTo(Duration.ZERO) > 0 && value.compareTo(SECOND) < 0) {
            long number = Math.max(1, value.toMillis());
            throw invalid(name, value + " is less than a second", "Use 1s or more, or 0 to disable it. A number without a unit means "
                + "milliseconds; write " + number + "s for seconds", null);
        }
        setMs(name, value, setter);
    }

    void setBytes(String name, @Nullable DataSize value, IntConsumer setter) {
        set(name, value, size -> setter.accept(bytes(name, size)));
    }

    private int ms(String name, Duration value) {
        if (value.isNegative() || value.toMillis() > Integer.MAX_VALUE) {
            throw invalid(name, value + " is out of range", "Use 0 to 24 days, such as 30s", null);
        }
        return (int) value.toMillis();
    }

    private int bytes(String name, DataSize value) {
        if (value.isNegative() || value.toBytes() > Integer.MAX_VALUE) {
            throw invalid(name, value + " is out of range", "Use less than 2GB, such as 1400B", null);
        }
        return (int) value.toBytes();
    }

    /** Runs an action that uses a property, and adds the property name to an {@code IllegalArgumentException} that the action throws. */
    <T> T checked(String name, Supplier<T> action) {
        return checked(name, action, "Change the value, or remove the property to use the default");
    }

    <T> T checked(String name, Supplier<T> action, String remedy) {
        try {
            return action.get();
        } catch (IllegalArgumentException invalid) {
            throw invalid(name, String.valueOf(invalid.getMessage()), remedy, invalid);
        }
    }

    KcpPropertyException invalid(String name, String problem, String remedy, @Nullable Throwable cause) {
        return new KcpPropertyException(name(name), problem, remedy, cause);
    }

    /** Returns the full name of a property. */
    String name(String name) {
        return prefix + '.' + name;
    }
}
