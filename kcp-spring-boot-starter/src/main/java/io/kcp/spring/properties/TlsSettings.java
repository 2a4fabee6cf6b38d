package io.kcp.spring.properties;

import io.kcp.netty.tls.KcpTls;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.ref.WeakReference;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Creates TLS for sessions from properties. */
final class TlsSettings {

    private static final String BUNDLE = "ssl.bundle";
    private static final int IDLE_THREAD_S = 10;
    /** Maximum number of waiting handshake tasks. Further handshakes fail, because they would exceed their timeout anyway. */
    static final int MAX_WAITING_TASKS = 1_024;
    private static final String REQUIRED_CLASS = "io.netty.handler.ssl.SslContext";

    private final PropertyReader reader;
    private final KcpSslProperties properties;
    private final @Nullable KcpClientAuth clientAuth;
    private final boolean validatedPeersOnly;

    /** Reads the properties of the sessions that clients open. */
    TlsSettings(PropertyReader reader, KcpSslProperties properties) {
        this(reader, properties, null, false);
    }

    /** Reads the properties of the sessions of a server. */
    TlsSettings(PropertyReader reader, KcpServerSslProperties properties) {
        this(reader, properties, properties.getClientAuth(), properties.isValidatedPeersOnly());
    }

    private TlsSettings(PropertyReader reader, KcpSslProperties properties, @Nullable KcpClientAuth clientAuth,
        boolean validatedPeersOnly) {
        this.reader = reader;
        this.properties = properties;
        this.clientAuth = clientAuth;
        this.validatedPeersOnly = validatedPeersOnly;
        // Validates the duration.
        reader.setMsOfSeconds("ssl.handshake-timeout", properties.getHandshakeTimeout(), ms -> { });
        if (clientAuth != null && clientAuth != KcpClientAuth.NONE && !isEnabled()) {
            throw reader.invalid("ssl.client-auth", "sessions do not use TLS", "Set " + reader.name(BUNDLE) + ", or remove the property",
                null);
        }
    }

    /** Returns {@code true} if sessions use TLS. */
    boolean isEnabled() {
        return StringUtils.hasText(properties.getBundle());
    }

    /** Returns TLS for sessions, or null if they do not use it. */
    @Nullable KcpTls tls(@Nullable SslBundles bundles) {
        String name = properties.getBundle();
        if (!isEnabled() || name == null) {
            return null;
        }
        if (!ClassUtils.isPresent(REQUIRED_CLASS, TlsSettings.class.getClassLoader())) {
            throw reader.invalid(BUNDLE, "TLS requires io.netty:netty-handler, which is not on the class path", "Add that dependency",
                null);
        }
        if (bundles == null) {
            throw reader.invalid(BUNDLE, "the application has no SslBundles bean", "Enable Boot's SslAutoConfiguration", null);
        }
        try {
            SslBundle bundle = bundles.getBundle(name);
            TlsContexts contexts = new TlsContexts(reader.name(BUNDLE), bundle, clientAuth);
            bundles.addBundleUpdateHandler(name, new Update(contexts));
            return contexts.tls().handshakeTimeout(properties.getHandshakeTimeout()).validatedPeersOnly(validatedPeersOnly)
                .executor(handshakeThreads());
        } catch (NoSuchSslBundleException unknown) {
            throw reader.invalid(BUNDLE, "there is no SSL bundle \"" + name + "\"", "Use one of " + bundles.getBundleNames()
                + ", or configure spring.ssl.bundle.pem." + name + " or spring.ssl.bundle.jks." + name, unknown);
        } catch (SSLException | RuntimeException unusable) {
            throw reader.invalid(BUNDLE, "the SSL bundle \"" + name + "\" is not usable: " + unusable.getMessage(),
                "Correct the properties of the bundle", unusable);
        }
    }

    /**
     * Passes a changed bundle to its contexts. Spring Boot keeps this object as long as the bundle, so it must not keep the contexts of a
     * stopped server reachable.
     */
    private static final class Update implements Consumer<SslBundle> {

        private final WeakReference<TlsContexts> contexts;

        Update(TlsContexts contexts) {
            this.contexts = new WeakReference<>(contexts);
        }

        @Override
        public void accept(SslBundle bundle) {
            TlsContexts used = contexts.get();
            if (used != null) {
                used.update(bundle);
            }
        }
    }

    /** Returns threads that compute the signatures of handshakes, so that they do not delay other sessions. Idle threads terminate. */
    static Executor handshakeThreads() {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        ThreadPoolExecutor executor = new ThreadPoolExecutor(threads, threads, IDLE_THREAD_S, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING_TASKS), new DefaultThreadFactory("kcp-tls", true));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}
