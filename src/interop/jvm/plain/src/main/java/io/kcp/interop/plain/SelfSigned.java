package io.kcp.interop.plain;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.concurrent.TimeUnit;

/** A key and its certificate, made by the keytool of the running Java. */
record SelfSigned(PrivateKey key, X509Certificate certificate) {

    private static final String ALIAS = "load";
    private static final String PASSWORD = "changeit";
    private static final long LIMIT_SECONDS = 60;

    static SelfSigned generate() throws IOException, GeneralSecurityException, InterruptedException {
        Path directory = Files.createTempDirectory("load-peer");
        Path store = directory.resolve("self.p12");
        try {
            Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                "-alias", ALIAS, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=localhost", "-validity", "2",
                "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            if (!keytool.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                keytool.destroyForcibly();
                throw new IOException("keytool failed");
            }
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD.toCharArray());
            }
            return new SelfSigned((PrivateKey) keys.getKey(ALIAS, PASSWORD.toCharArray()), (X509Certificate) keys.getCertificate(ALIAS));
        } finally {
            Files.deleteIfExists(store);
            Files.delete(directory);
        }
    }
}
