package io.kcp.spring.properties;

import io.netty.util.Version;
import java.io.Serial;
import org.springframework.util.ClassUtils;

/** Thrown when the Netty version on the class path is too old. */
final class KcpNettyVersionException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private KcpNettyVersionException(String message) {
        super(message);
    }

    /**
     * Throws this exception if the Netty version on the class path is too old. Without this check, the application would fail with a
     * NoClassDefFoundError, which does not report the version.
     */
    static void requireNetty42() {
        ClassLoader loader = ClassUtils.getDefaultClassLoader();
        if (!ClassUtils.isPresent("io.netty.channel.IoHandlerFactory", loader)) {
            Version transport = Version.identify(loader).get("netty-transport");
            throw new KcpNettyVersionException("KCP requires Netty 4.2, but the class path contains netty-transport "
                + (transport == null ? "of an unknown version" : transport.artifactVersion()));
        }
    }
}
