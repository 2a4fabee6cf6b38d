package io.kcp.spring.properties;

import io.netty.util.Version;
import java.io.Serial;
import org.springframework.util.ClassUtils;

/** The class path has a Netty that is too old. */
final class KcpNettyVersionException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private KcpNettyVersionException(String message) {
        super(message);
    }

    /** Fails with the version on the class path, where the JVM would name only a missing class. */
    static void requireNetty42() {
        ClassLoader loader = ClassUtils.getDefaultClassLoader();
        if (!ClassUtils.isPresent("io.netty.channel.IoHandlerFactory", loader)) {
            Version transport = Version.identify(loader).get("netty-transport");
            throw new KcpNettyVersionException("KCP needs Netty 4.2, and the class path has netty-transport "
                + (transport == null ? "of an unknown version" : transport.artifactVersion()));
        }
    }
}
