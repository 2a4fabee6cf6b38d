package io.kcp.netty;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.kcp.netty.bootstrap.BootstrapAccess;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.socket.MissingNatives;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs {@link TransportProbe} in class loaders without some of Netty's transport jars, like the class paths of applications. */
@Timeout(60)
@Tag("jdk")
class TransportJarsTest {

    @ParameterizedTest
    @ValueSource(strings = {"no such jar", "transport-(classes|native)-(io_uring|kqueue)"})
    void epollNeedsNoJarsOfOtherTransports(String missing) throws Exception {
        assertThat(echoWithout(missing)).isEqualTo(KcpTransport.best().name());
    }

    @ParameterizedTest
    @ValueSource(strings = {"transport-native-epoll", "transport-(classes|native)-epoll", "transport-native-unix-common",
        "transport-(classes|native)-"})
    void nioWorksWithoutNativeTransportJars(String missing) throws Exception {
        try (RecordedLog log = new RecordedLog(MissingNatives.class.getName())) {
            assertThat(echoWithout(missing)).isEqualTo(KcpTransport.NIO.name());
            if (KcpTransport.EPOLL.isAvailable()) {
                assertThat(log.messages()).singleElement(as(STRING)).startsWith("KCP uses NIO").doesNotContain("null")
                    .contains("epoll is not available (", "Add io.netty:netty-transport-native-epoll:4.2.", "the classifier linux-");
            }
        }
    }

    private static String describe(String os, String arch) {
        return MissingNatives.describe(os, arch, () -> BootstrapAccess.whyNot(KcpTransport.EPOLL),
            () -> BootstrapAccess.whyNot(KcpTransport.KQUEUE));
    }

    @Test
    void nativeTransportIsSuggestedOnlyWhereItExists() {
        assertThat(describe("windows", "x86_64")).isNull();
        assertThat(describe("osx", "aarch_64")).contains("kqueue is not available", "netty-transport-native-kqueue:4.",
            "osx-aarch_64");
    }

    @Test
    void bindFailuresWithoutMessageNameTheExceptionType() {
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", 9);
        assertThat(BootstrapAccess.bindFailure(new ClosedChannelException(), address)).isInstanceOf(BindException.class)
            .hasMessage("java.nio.channels.ClosedChannelException: /127.0.0.1:9");
        assertThat(BootstrapAccess.bindFailure(new IOException("in use"), address)).hasMessage("in use: /127.0.0.1:9");
    }

    /** Runs an echo and returns the transport that was selected. */
    private static String echoWithout(String missing) throws Exception {
        Pattern pattern = Pattern.compile(missing);
        List<URL> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!pattern.matcher(Path.of(entry).getFileName().toString()).find()) {
                jars.add(url(entry));
            }
        }
        try (URLClassLoader loader = new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            return (String) loader.loadClass(TransportProbe.class.getName()).getMethod("echo").invoke(null);
        } catch (InvocationTargetException failed) {
            throw new AssertionError("without " + missing + ": " + failed.getCause(), failed.getCause());
        }
    }

    private static URL url(String entry) throws MalformedURLException {
        return Path.of(entry).toUri().toURL();
    }
}
