package io.kcp.netty;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;

/** A self-signed certificate for tests, and TLS 1.3 contexts that use it. */
final class TlsCertificates {

    private final X509Bundle bundle;

    TlsCertificates(String name) throws Exception {
        bundle = new CertificateBuilder().subject("CN=" + name).addSanDnsName(name).setIsCertificateAuthority(true).buildSelfSigned();
    }

    private static SslContextBuilder tls13(SslContextBuilder builder) {
        return builder.sslProvider(SslProvider.JDK).protocols("TLSv1.3");
    }

    /** Returns the context of a server that requires no certificate of its clients. */
    SslContext server() throws Exception {
        return tls13(SslContextBuilder.forServer(bundle.toKeyManagerFactory())).build();
    }

    /** Returns the context of a server that requires a certificate of its clients. */
    SslContext server(TlsCertificates trustedClient) throws Exception {
        return tls13(SslContextBuilder.forServer(bundle.toKeyManagerFactory())).trustManager(trustedClient.bundle.getCertificate())
            .clientAuth(ClientAuth.REQUIRE).build();
    }

    /** Returns the context of a client that trusts this certificate and has none of its own. */
    SslContext client() throws Exception {
        return tls13(SslContextBuilder.forClient()).trustManager(bundle.getCertificate()).build();
    }

    /** Returns the context of a client that trusts this certificate and authenticates with another one. */
    SslContext client(TlsCertificates own) throws Exception {
        return tls13(SslContextBuilder.forClient()).trustManager(bundle.getCertificate())
            .keyManager(own.bundle.toKeyManagerFactory()).build();
    }
}
