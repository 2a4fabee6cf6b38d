package io.kcp.spring.properties;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Hands properties over to setters of the library. Mistakes name the property, and what the library expects of it. */
final class PropertyReader {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final String prefix;

    /**
     * Creates a reader.
     *
     * @param prefix of the names of all properties, such as {@code kcp.server}
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

    /** Sets milliseconds. */
    void setMs(String name, @Nullable Duration value, IntConsumer setter) {
        set(name, value, duration -> setter.accept(ms(name, duration)));
    }

    /** Sets milliseconds of what is kept to the second or makes no sense below, unless it is off: a number without a unit is a slip. */
    void setMsOfSeconds(String name, @Nullable Duration value, IntConsumer setter) {
        if (value != null && value.compareTo(Duration.ZERO) > 0 && value.compareTo(SECOND) < 0) {
            long number = Math.max(1, value.toMillis());
            throw mistake(name, value + " is less than a second", "Use 1s or more, or 0 to switch it off; a number without a unit is "
                + "milliseconds: write " + number + "s for as many seconds", null);
        }
        setMs(name, value, setter);
    }

    void setBytes(String name, @Nullable DataSize value, IntConsumer setter) {
        set(name, value, size -> setter.accept(bytes(name, size)));
    }

    private int ms(String name, Duration value) {
        if (value.isNegative() || value.toMillis() > Integer.MAX_VALUE) {
            throw mistake(name, value + " is out of range", "Use 0 to 24 days, such as 30s", null);
        }
        return (int) value.toMillis();
    }

    private int bytes(String name, DataSize value) {
        if (value.isNegative() || value.toBytes() > Integer.MAX_VALUE) {
            throw mistake(name, value + " is out of range", "Use less than 2GB, such as 1400B", null);
        }
        return (int) value.toBytes();
    }

    /** Runs an action with a property that has a default. */
    <T> T checked(String name, Supplier<T> action) {
        return checked(name, action, "Change it, or leave it out for the default");
    }

    <T> T checked(String name, Supplier<T> action, String remedy) {
        try {
            return action.get();
        } catch (IllegalArgumentException refused) {
            throw mistake(name, String.valueOf(refused.getMessage()), remedy, refused);
        }
    }

    KcpPropertyException mistake(String name, String problem, String remedy, @Nullable Throwable cause) {
        return new KcpPropertyException(name(name), problem, remedy, cause);
    }

    /** Full name of a property. */
    String name(String name) {
        return prefix + '.' + name;
    }
}
