package io.kcp.netty;

import io.netty.util.Version;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Logs why a machine that has a native transport is served by NIO. */
final class MissingNatives {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(MissingNatives.class);
    private static final AtomicBoolean LOGGED = new AtomicBoolean();

    private MissingNatives() {
    }

    static void logOnce() {
        String line = describe(PlatformDependent.normalizedOs(), PlatformDependent.normalizedArch());
        if (line != null && LOGGED.compareAndSet(false, true)) {
            LOGGER.info(line);
        }
    }

    /** Returns a line for the log; null if the operating system has no native transport. */
    static @Nullable String describe(String os, String arch) {
        return switch (os) {
            case "linux" -> describe(KcpTransport.EPOLL, "linux-" + arch);
            case "osx" -> describe(KcpTransport.KQUEUE, "osx-" + arch);
            default -> null;
        };
    }

    private static String describe(KcpTransport transport, String classifier) {
        String name = transport.name().toLowerCase(Locale.ROOT);
        Version netty = Version.identify().get("netty-common");
        return "KCP uses NIO: one socket per server and one system call per datagram, because " + name + " is not available ("
            + reason(transport) + "). Add io.netty:netty-transport-native-" + name
            + (netty == null ? "" : ':' + netty.artifactVersion()) + " with the classifier " + classifier + " to the class path.";
    }

    private static String reason(KcpTransport transport) {
        try {
            Throwable cause = transport.whyNot();
            String message = cause.getMessage();
            return message == null ? cause.toString() : message;
        } catch (LinkageError classMissing) {
            return "missing class " + classMissing.getMessage();
        }
    }
}
