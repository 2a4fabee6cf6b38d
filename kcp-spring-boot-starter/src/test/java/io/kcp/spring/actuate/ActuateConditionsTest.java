package io.kcp.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.spring.EchoInitializer;
import io.kcp.spring.KcpServers;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests the conditions under which the health indicator, the meters and the endpoint exist. */
@Timeout(60)
class ActuateConditionsTest {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=kcp";

    private final ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Echo.class)
        .withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class, KcpHealthAutoConfiguration.class,
            KcpMetricsAutoConfiguration.class, KcpEndpointAutoConfiguration.class));
    private final ApplicationContextRunner measured = runner.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
        CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class));

    @Configuration(proxyBeanMethods = false)
    static class Echo {

        @Bean
        EchoInitializer echo() {
            return new EchoInitializer();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnHealth {

        @Bean
        HealthIndicator kcpHealthIndicator() {
            return () -> Health.unknown().build();
        }
    }

    private static ApplicationContextRunner serving(ApplicationContextRunner runner) {
        return runner.withPropertyValues("kcp.server.port=0");
    }

    @Test
    void noServersMeansNoActuatorBeans() {
        measured.withPropertyValues(EXPOSED).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class).doesNotHaveBean(KcpEndpoint.class)
                .doesNotHaveBean(ServerMetrics.class);
            assertThat(context.getBean(MeterRegistry.class).find("kcp.sessions.active").meters()).isEmpty();
        });
    }

    @Test
    void serversHaveHealthIndicator() {
        serving(runner).run(context -> assertThat(context).hasBean("kcpHealthIndicator"));
        serving(runner).withPropertyValues("management.health.kcp.enabled=false")
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
        serving(runner).withPropertyValues("management.health.defaults.enabled=false")
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
        serving(runner).withUserConfiguration(OwnHealth.class)
            .run(context -> assertThat(context.getBean(HealthIndicator.class).health().getStatus()).isEqualTo(Status.UNKNOWN));
    }

    @Test
    void metersAreTaggedWithServerName() {
        measured.withPropertyValues("kcp.servers.game.port=0", "kcp.servers.chat.port=0").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(registry.find("kcp.sessions.active").gauges()).extracting(gauge -> gauge.getId().getTag("server"))
                .containsExactlyInAnyOrder("game", "chat");
        });
    }

    @Test
    void metersAreReboundAfterRestart() {
        serving(measured).run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            int meters = registry.getMeters().size();
            ConfigurableApplicationContext application = context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            application.stop();
            application.start();
            assertThat(registry.getMeters()).hasSize(meters);
            assertThat(registry.get("kcp.stats.age").timeGauge().value()).isLessThan(10);
        });
    }

    @Test
    void metersAreRemovedWhenApplicationCloses() {
        SimpleMeterRegistry shared = new SimpleMeterRegistry();
        serving(runner).withBean(MeterRegistry.class, () -> shared, definition -> definition.setDestroyMethodName(""))
            .run(context -> assertThat(shared.find("kcp.sessions.active").gauges()).hasSize(1));
        assertThat(shared.getMeters()).isEmpty();
    }

    @Test
    void noMeterRegistryMeansNoMeters() {
        serving(runner).run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ServerMetrics.class));
    }

    @Test
    void endpointExistsIfExposed() {
        serving(runner).withPropertyValues(EXPOSED).run(context -> assertThat(context).hasSingleBean(KcpEndpoint.class));
        serving(runner).run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(KcpEndpoint.class));
        serving(runner).withPropertyValues(EXPOSED, "management.endpoint.kcp.access=NONE")
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(KcpEndpoint.class));
    }

    @Test
    void keysAreSanitizedInAllSpellings() {
        ApplicationContextRunner sanitizing = runner.withConfiguration(AutoConfigurations.of(KcpSanitizingAutoConfiguration.class));
        sanitizing.run(context -> {
            SanitizingFunction function = context.getBean(SanitizingFunction.class);
            assertThat(Stream.of("kcp.server.crypt.key", "kcp.servers.Lobby.crypt.key", "kcp.servers[lobby].crypt.key", "KCP_KEY",
                "KCP_SERVERS_LOBBY_CRYPT_KEY", "kcp.client.crypt.key", "kcp.server.crypt.key-file", "kcp.server.crypt.type", "game.key")
                .filter(name -> SanitizableData.SANITIZED_VALUE.equals(
                    function.apply(new SanitizableData(null, name, "hush")).getValue())))
                .containsExactly("kcp.server.crypt.key", "kcp.servers.Lobby.crypt.key", "kcp.servers[lobby].crypt.key", "KCP_KEY",
                    "KCP_SERVERS_LOBBY_CRYPT_KEY", "kcp.client.crypt.key");
        });
        sanitizing.withClassLoader(new FilteredClassLoader(SanitizingFunction.class))
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("kcpSanitizingFunction"));
    }

    @Test
    void serversRunWithoutHealthMetricsAndActuator() {
        for (FilteredClassLoader missing : new FilteredClassLoader[] {new FilteredClassLoader(HealthIndicator.class),
            new FilteredClassLoader("org.springframework.boot.health"), new FilteredClassLoader("io.micrometer"),
            new FilteredClassLoader(Endpoint.class), new FilteredClassLoader("org.springframework.boot.actuate"),
            new FilteredClassLoader("io.micrometer", "org.springframework.boot.actuate", "org.springframework.boot.health")}) {
            serving(runner).withPropertyValues(EXPOSED).withClassLoader(missing)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(KcpServers.class));
        }
        serving(runner).withClassLoader(new FilteredClassLoader(HealthIndicator.class))
            .run(context -> assertThat(context).doesNotHaveBean("kcpHealthIndicator"));
        serving(runner).withPropertyValues(EXPOSED).withClassLoader(new FilteredClassLoader(Endpoint.class))
            .run(context -> assertThat(context).doesNotHaveBean("kcpEndpoint").hasBean("kcpHealthIndicator"));
    }
}
