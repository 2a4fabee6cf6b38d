package io.kcp.test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;

/** A self-signed certificate and its key, which keytool has created. */
public final class TestCertificate {

    private static final String ALIAS = "tls";
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final KeyStore store;

    /**
     * Creates a certificate.
     *
     * @param name the host name for which it is valid
     * @throws Exception if keytool fails
     */
    public TestCertificate(String name) throws Exception {
        Path file = Files.createTempDirectory("kcp-tls").resolve("store.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias",
            ALIAS, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=" + name, "-ext", "SAN=dns:" + name, "-storetype", "PKCS12",
            "-keystore", file.toString(), "-storepass", new String(PASSWORD)).inheritIO().start();
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException("keytool failed");
        }
        store = KeyStore.getInstance(file.toFile(), PASSWORD);
        Files.delete(file);
        Files.delete(file.getParent());
    }

    /**
     * Returns the certificate.
     *
     * @return the certificate
     * @throws Exception if the store cannot be read
     */
    public X509Certificate certificate() throws Exception {
        return (X509Certificate) store.getCertificate(ALIAS);
    }

    /**
     * Returns the key of the certificate.
     *
     * @return key managers with one key
     * @throws Exception if the store cannot be read
     */
    public KeyManagerFactory keys() throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        return keys;
    }

    /**
     * Returns the certificate as text.
     *
     * @return PEM
     * @throws Exception if the store cannot be read
     */
    public String certificatePem() throws Exception {
        return pem("CERTIFICATE", certificate().getEncoded());
    }

    /**
     * Returns the key as text.
     *
     * @return PEM, not encrypted
     * @throws Exception if the store cannot be read
     */
    public String keyPem() throws Exception {
        return pem("PRIVATE KEY", store.getKey(ALIAS, PASSWORD).getEncoded());
    }

    private static String pem(String type, byte[] bytes) {
        return "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(bytes)
            + "\n-----END " + type + "-----\n";
    }
}
