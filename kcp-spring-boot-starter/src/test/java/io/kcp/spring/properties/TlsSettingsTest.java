package io.kcp.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.tls.KcpTls;
import io.kcp.test.TestCertificate;
import java.lang.ref.Reference;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslManagerBundle;

/** The resources that TLS of the starter uses are limited and released. */
@Timeout(120)
class TlsSettingsTest {

    private static SslBundle bundle(Supplier<KeyManagerFactory> keys) {
        return SslBundle.of(null, null, null, null, new SslManagerBundle() {
            @Override
            public KeyManagerFactory getKeyManagerFactory() {
                return keys.get();
            }

            @Override
            public TrustManagerFactory getTrustManagerFactory() {
                try {
                    TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                    trusted.init((KeyStore) null);
                    return trusted;
                } catch (GeneralSecurityException impossible) {
                    throw new AssertionError(impossible);
                }
            }
        });
    }

    @Test
    void changedBundleIsIgnoredWhenNoServerUsesIt() throws Exception {
        KeyManagerFactory keys = new TestCertificate("localhost").keys();
        DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry("game", bundle(() -> keys));
        KcpServerSslProperties properties = new KcpServerSslProperties();
        properties.setBundle("game");
        KcpTls tls = new TlsSettings(new PropertyReader("kcp.server"), properties).tls(bundles);
        AtomicInteger uses = new AtomicInteger();
        SslBundle changed = bundle(() -> {
            uses.incrementAndGet();
            return keys;
        });
        bundles.updateBundle("game", changed);
        assertThat(uses).hasValue(1);
        Reference.reachabilityFence(tls);
        tls = null;
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            System.gc();
            int before = uses.get();
            bundles.updateBundle("game", changed);
            return uses.get() == before;
        });
    }

    @Test
    void waitingHandshakeTasksAreLimited() throws Exception {
        Executor executor = TlsSettings.handshakeThreads();
        CountDownLatch release = new CountDownLatch(1);
        Runnable task = () -> {
            try {
                release.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        };
        int accepted = ((ThreadPoolExecutor) executor).getMaximumPoolSize() + TlsSettings.MAX_WAITING_TASKS;
        for (int i = 0; i < accepted; i++) {
            executor.execute(task);
        }
        assertThatThrownBy(() -> executor.execute(task)).isInstanceOf(RejectedExecutionException.class);
        release.countDown();
    }
}
