package io.kcp.netty;

import io.kcp.test.TestCertificate;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;

/** A self-signed certificate for tests, and TLS 1.3 contexts that use it. */
final class TlsCertificates {

    private final TestCertificate certificate;

    TlsCertificates(String name) throws Exception {
        certificate = new TestCertificate(name);
    }

    private static SslContextBuilder tls13(SslContextBuilder builder) {
        return builder.sslProvider(SslProvider.JDK).protocols("TLSv1.3");
    }

    /** Returns the context of a server that requires no certificate of its clients. */
    SslContext server() throws Exception {
        return tls13(SslContextBuilder.forServer(certificate.keys())).build();
    }

    /** Returns the context of a server that supports the given versions of TLS. */
    SslContext serverOf(String... versions) throws Exception {
        return SslContextBuilder.forServer(certificate.keys()).sslProvider(SslProvider.JDK).protocols(versions).build();
    }

    /** Returns the context of a client that trusts this certificate and supports the given versions of TLS. */
    SslContext clientOf(String... versions) throws Exception {
        return SslContextBuilder.forClient().sslProvider(SslProvider.JDK).protocols(versions)
            .trustManager(certificate.certificate()).build();
    }

    /** Returns the context of a server that requires a certificate of its clients. */
    SslContext server(TlsCertificates trustedClient) throws Exception {
        return tls13(SslContextBuilder.forServer(certificate.keys())).trustManager(trustedClient.certificate.certificate())
            .clientAuth(ClientAuth.REQUIRE).build();
    }

    /** Returns the context of a client that trusts this certificate and has none of its own. */
    SslContext client() throws Exception {
        return tls13(SslContextBuilder.forClient()).trustManager(certificate.certificate()).build();
    }

    /** Returns the context of a client that trusts this certificate and authenticates with another one. */
    SslContext client(TlsCertificates client) throws Exception {
        return tls13(SslContextBuilder.forClient()).trustManager(certificate.certificate())
            .keyManager(client.certificate.keys()).build();
    }
}
