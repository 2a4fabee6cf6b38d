package io.kcp.netty.internal.socket;

import io.netty.util.Version;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Logs why NIO is used on an operating system for which Netty has a native transport. */
public final class MissingNatives {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(MissingNatives.class);
    private static final AtomicBoolean LOGGED = new AtomicBoolean();

    private MissingNatives() {
    }

    /**
     * Logs once per process why NIO is used. Logs nothing on an operating system without a native transport.
     *
     * @param epoll  returns why epoll is not available
     * @param kqueue returns why kqueue is not available
     */
    public static void logOnce(Supplier<Throwable> epoll, Supplier<Throwable> kqueue) {
        String line = describe(PlatformDependent.normalizedOs(), PlatformDependent.normalizedArch(), epoll, kqueue);
        if (line != null && LOGGED.compareAndSet(false, true)) {
            LOGGER.info(line);
        }
    }

    /**
     * Returns the log line for an operating system and a processor architecture, both named as in Netty's {@code PlatformDependent}.
     *
     * @return the line, null if Netty has no native transport for that operating system
     */
    public static @Nullable String describe(String os, String arch, Supplier<Throwable> epoll, Supplier<Throwable> kqueue) {
        return switch (os) {
            case "linux" -> describe("epoll", "linux-" + arch, epoll);
            case "osx" -> describe("kqueue", "osx-" + arch, kqueue);
            default -> null;
        };
    }

    private static String describe(String name, String classifier, Supplier<Throwable> unavailabilityCause) {
        Version netty = Version.identify().get("netty-common");
        return "KCP uses NIO: one socket per server and one system call per datagram, because " + name + " is not available ("
            + reason(unavailabilityCause) + "). Add io.netty:netty-transport-native-" + name
            + (netty == null ? "" : ':' + netty.artifactVersion()) + " with the classifier " + classifier + " to the class path.";
    }

    private static String reason(Supplier<Throwable> unavailabilityCause) {
        try {
            Throwable cause = unavailabilityCause.get();
            String message = cause.getMessage();
            return message == null ? cause.toString() : message;
        } catch (LinkageError classMissing) {
            return "missing class " + classMissing.getMessage();
        }
    }
}
