package io.kcp.netty;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;

/** A self-signed certificate for tests, and TLS 1.3 contexts that use it. */
final class TlsCertificates {

    private static final String ALIAS = "tls";
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final KeyStore store;

    TlsCertificates(String name) throws Exception {
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

    private X509Certificate certificate() throws Exception {
        return (X509Certificate) store.getCertificate(ALIAS);
    }

    private KeyManagerFactory keys() throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        return keys;
    }

    private static SslContextBuilder tls13(SslContextBuilder builder) {
        return builder.sslProvider(SslProvider.JDK).protocols("TLSv1.3");
    }

    /** Returns the context of a server that requires no certificate of its clients. */
    SslContext server() throws Exception {
        return tls13(SslContextBuilder.forServer(keys())).build();
    }

    /** Returns the context of a server that supports the given versions of TLS. */
    SslContext serverOf(String... versions) throws Exception {
        return SslContextBuilder.forServer(keys()).sslProvider(SslProvider.JDK).protocols(versions).build();
    }

    /** Returns the context of a client that trusts this certificate and supports the given versions of TLS. */
    SslContext clientOf(String... versions) throws Exception {
        return SslContextBuilder.forClient().sslProvider(SslProvider.JDK).protocols(versions).trustManager(certificate()).build();
    }

    /** Returns the context of a server that requires a certificate of its clients. */
    SslContext server(TlsCertificates trustedClient) throws Exception {
        return tls13(SslContextBuilder.forServer(keys())).trustManager(trustedClient.certificate())
            .clientAuth(ClientAuth.REQUIRE).build();
    }

    /** Returns the context of a client that trusts this certificate and has none of its own. */
    SslContext client() throws Exception {
        return tls13(SslContextBuilder.forClient()).trustManager(certificate()).build();
    }

    /** Returns the context of a client that trusts this certificate and authenticates with another one. */
    SslContext client(TlsCertificates own) throws Exception {
        return tls13(SslContextBuilder.forClient()).trustManager(certificate())
            .keyManager(own.keys()).build();
    }
}
