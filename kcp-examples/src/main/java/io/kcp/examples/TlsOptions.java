package io.kcp.examples;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.tls.KcpTls;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command-line options for TLS 1.3 inside sessions. Without these options, sessions do not use TLS. */
final class TlsOptions {

    private static final String PROTOCOL = "TLSv1.3";

    @Option(names = "--tls-certificate", paramLabel = "FILE", description = "Own certificate chain, in PEM format. A server needs it.")
    private @Nullable File certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "Private key of the certificate, in PEM format (PKCS #8).")
    private @Nullable File key;

    @Option(names = "--tls-trust", paramLabel = "FILE",
        description = "Certificates that the peer's certificate must be issued by, in PEM format. A server then requires a certificate.")
    private @Nullable File trust;

    /** Returns a handler that adds TLS to a session of a server before another handler. */
    ChannelHandler beforeServer(ChannelHandler handler) throws SSLException {
        if (certificate == null || key == null) {
            if (certificate != null || key != null || trust != null) {
                throw new IllegalArgumentException("a server with TLS needs both --tls-certificate and --tls-key");
            }
            return handler;
        }
        SslContextBuilder builder = SslContextBuilder.forServer(certificate, key).protocols(PROTOCOL);
        SslContext context = (trust == null ? builder : builder.trustManager(trust).clientAuth(ClientAuth.REQUIRE)).build();
        return before(KcpTls.server(() -> context), handler);
    }

    /** Returns a handler that adds TLS to a session of a client before another handler. */
    ChannelHandler beforeClient(ChannelHandler handler) throws SSLException {
        if (trust == null && certificate == null) {
            return handler;
        }
        SslContextBuilder builder = SslContextBuilder.forClient().protocols(PROTOCOL);
        if (trust != null) {
            builder.trustManager(trust);
        }
        if (certificate != null) {
            builder.keyManager(certificate, key);
        }
        SslContext context = builder.build();
        return before(KcpTls.client(() -> context), handler);
    }

    private static ChannelHandler before(KcpTls tls, ChannelHandler handler) {
        return new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                tls.addTo(session);
                session.pipeline().addLast(handler);
            }
        };
    }
}
