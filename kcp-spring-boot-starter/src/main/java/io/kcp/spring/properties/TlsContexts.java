package io.kcp.spring.properties;

import io.kcp.netty.tls.KcpTls;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/** The TLS context of an SSL bundle. When the bundle changes, new sessions use the new context. Any thread may call the methods. */
final class TlsContexts implements Supplier<SslContext> {

    private static final Log LOG = LogFactory.getLog(TlsContexts.class);
    private static final String[] DEFAULT_PROTOCOLS = {"TLSv1.3"};

    private final String property;
    private final @Nullable KcpClientAuth clientAuth;
    private volatile SslContext context;

    /**
     * Creates the context.
     *
     * @param property   full name of the property that names the bundle
     * @param clientAuth the client authentication of a server; null for clients
     * @throws SSLException             if the bundle contains no usable key or certificate
     * @throws IllegalArgumentException if an option of the bundle is not supported
     */
    TlsContexts(String property, SslBundle bundle, @Nullable KcpClientAuth clientAuth) throws SSLException {
        this.property = property;
        this.clientAuth = clientAuth;
        context = create(bundle);
    }

    /** Returns the TLS settings of sessions that use these contexts. The contexts determine the versions of TLS. */
    KcpTls tls() {
        return (clientAuth == null ? KcpTls.client(this) : KcpTls.server(this)).protocols();
    }

    @Override
    public SslContext get() {
        return context;
    }

    /** Replaces the context. If the changed bundle is not usable, the previous context remains in use. */
    void update(SslBundle bundle) {
        try {
            context = create(bundle);
            LOG.info(property + ": the SSL bundle has changed; new sessions use it");
        } catch (SSLException | RuntimeException unusable) {
            LOG.error(property + ": the changed SSL bundle is not usable, so new sessions use the previous one", unusable);
        }
    }

    private SslContext create(SslBundle bundle) throws SSLException {
        SslContextBuilder builder = clientAuth == null
            ? SslContextBuilder.forClient().keyManager(bundle.getManagers().getKeyManagerFactory())
            : SslContextBuilder.forServer(bundle.getManagers().getKeyManagerFactory()).clientAuth(nettyClientAuth(clientAuth));
        SslOptions options = bundle.getOptions();
        String[] protocols = options.getEnabledProtocols();
        return builder.trustManager(bundle.getManagers().getTrustManagerFactory()).ciphers(SslOptions.asSet(options.getCiphers()))
            .protocols(protocols == null ? DEFAULT_PROTOCOLS : protocols).build();
    }

    private static ClientAuth nettyClientAuth(KcpClientAuth clientAuth) {
        return switch (clientAuth) {
            case NONE -> ClientAuth.NONE;
            case WANT -> ClientAuth.OPTIONAL;
            case NEED -> ClientAuth.REQUIRE;
        };
    }
}
