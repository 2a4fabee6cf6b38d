package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.crypto.engines.CAST5Engine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs {@link CipherProbe} in a class loader without BouncyCastle, an optional dependency that only CAST5 needs. */
@Tag("jdk")
class WithoutBouncyCastleTest {

    private static final String ARTIFACT = "bcprov-jdk18on";

    private static Object probe(String method) throws Throwable {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.contains(ARTIFACT)) {
                classPath.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader loader = new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            return loader.loadClass(CipherProbe.class.getName()).getMethod(method).invoke(null);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    @Test
    void allOtherCiphersWork() throws Throwable {
        List<String> expected = new ArrayList<>(CryptoConfig.names());
        expected.remove("cast5");
        assertThat(probe("usableCiphers")).isEqualTo(expected);
    }

    @Test
    void cast5NamesTheMissingArtifactAndItsVersion() {
        String jar = Path.of(CAST5Engine.class.getProtectionDomain().getCodeSource().getLocation().getPath()).getFileName().toString();
        String testedVersion = jar.substring(ARTIFACT.length() + 1, jar.length() - ".jar".length());
        assertThatThrownBy(() -> probe("cast5")).isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("org.bouncycastle:" + ARTIFACT + ':' + testedVersion).hasMessageContaining("bouncycastle.version")
            .hasCauseInstanceOf(NoClassDefFoundError.class);
    }
}
