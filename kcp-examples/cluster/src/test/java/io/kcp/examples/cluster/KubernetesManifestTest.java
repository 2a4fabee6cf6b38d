package io.kcp.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.Tool;
import io.kcp.examples.arena.wire.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.yaml.snakeyaml.Yaml;

/** Tests that the manifest of the guide matches the application. */
class KubernetesManifestTest {

    /** Name of a pod in the format that a Deployment uses. */
    private static final String POD = "arena-66b6c48dd5-7gl6h";

    private final Map<String, Map<String, Object>> manifests = new HashMap<>();
    private Map<String, Object> application;

    @BeforeEach
    void read() throws IOException {
        try (Reader reader = Files.newBufferedReader(Tool.SITE.resolve("kubernetes").resolve("arena.yaml"))) {
            for (Object document : new Yaml().loadAll(reader)) {
                Map<String, Object> manifest = map(document);
                manifests.put(manifest.get("kind") + " " + at(manifest, "metadata", "name"), manifest);
            }
        }
        try (InputStream in = getClass().getResourceAsStream("/application.yaml")) {
            application = new Yaml().load(in);
        }
    }

    @Test
    void portsMatchTheApplication() {
        Map<String, Map<String, Object>> ports = byName(at(gateway(), "ports"));
        assertThat(ports.get("kcp")).containsEntry("containerPort", property("kcp.server.port")).containsEntry("protocol", "UDP");
        assertThat(ports.get("http")).containsEntry("containerPort", property("server.port")).containsEntry("protocol", "TCP");
        Map<String, Map<String, Object>> service = byName(at(manifest("Service arena"), "spec", "ports"));
        assertThat(service).containsOnlyKeys("kcp");
        assertThat(service.get("kcp")).containsEntry("targetPort", "kcp").containsEntry("protocol", "UDP");
    }

    @Test
    void serviceUsesLocalPolicyWithoutAffinity() {
        Map<String, Object> spec = map(at(manifest("Service arena"), "spec"));
        assertThat(spec).containsEntry("externalTrafficPolicy", "Local").containsEntry("selector", labels())
            .doesNotContainKeys("sessionAffinity", "sessionAffinityConfig");
        assertThat(at(manifest("PodDisruptionBudget arena"), "spec", "selector", "matchLabels")).isEqualTo(labels());
        assertThat(at(manifest("Deployment arena"), "spec", "selector", "matchLabels")).isEqualTo(labels());
    }

    @Test
    void probesMatchTheActuator() {
        assertThat(property("management.endpoint.health.probes.enabled")).isEqualTo(true);
        assertThat(at(gateway(), "readinessProbe", "httpGet"))
            .isEqualTo(Map.of("path", "/actuator/health/readiness", "port", "http"));
        assertThat(at(gateway(), "livenessProbe", "httpGet")).isEqualTo(Map.of("path", "/actuator/health/liveness", "port", "http"));
    }

    @Test
    void environmentVariablesMatchKnownProperties() {
        Map<String, Object> environment = new HashMap<>();
        for (Object entry : (List<?>) at(gateway(), "env")) {
            boolean isPodName = String.valueOf(map(entry).get("valueFrom")).contains("metadata.name");
            environment.put((String) map(entry).get("name"), map(entry).getOrDefault("value", isPodName ? POD : "from elsewhere"));
        }
        StandardEnvironment properties = new StandardEnvironment();
        properties.getPropertySources().addFirst(new SystemEnvironmentPropertySource("manifest-systemEnvironment", environment));
        Binder binder = new Binder(ConfigurationPropertySources.get(properties));
        assertThat(property("server.address")).as("reachable only from this host by default").isEqualTo("127.0.0.1");
        assertThat(binder.bind("server.address", String.class).get()).as("for the probes").isEqualTo("0.0.0.0");
        assertThat(binder.bind("arena.gateway", String.class).get()).isEqualTo(POD);
        Limits.gateway("arena.gateway", POD);
        assertThat(binder.bind("kcp.server.crypt.key", String.class).get()).isEqualTo("from elsewhere");
        assertThat(binder.bind("spring.data.redis.url", String.class).get()).isEqualTo("redis://"
            + at(manifest("Service arena-redis"), "metadata", "name") + ':' + byName(at(manifest("Service arena-redis"), "spec", "ports"))
            .get("redis").get("port"));
        assertThat(binder.bind("kcp.server.keepalive", Duration.class).get()).isLessThanOrEqualTo(Duration.ofSeconds(15));
        Duration phase = binder.bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class).get();
        int preStop = (int) at(gateway(), "lifecycle", "preStop", "sleep", "seconds");
        int grace = (int) at(manifest("Deployment arena"), "spec", "template", "spec", "terminationGracePeriodSeconds");
        // The shutdown phases of the arena and of the KCP server may use their whole timeout, after the drain of the load balancer.
        assertThat(Duration.ofSeconds(grace - preStop)).isGreaterThan(phase.multipliedBy(2).plus(BalancerDrain.LONGEST));
    }

    @Test
    void serviceVariablesAreNotBoundAsProperties() {
        assertThat(at(manifest("Deployment arena"), "spec", "template", "spec", "enableServiceLinks")).isEqualTo(false);
        StandardEnvironment properties = new StandardEnvironment();
        properties.getPropertySources().addFirst(new SystemEnvironmentPropertySource("service-systemEnvironment",
            Map.of("KCP_SERVER_PORT", "udp://10.0.0.1:9000")));
        assertThat(new Binder(ConfigurationPropertySources.get(properties)).bind("kcp.server.port", String.class).get())
            .as("what would be without it").startsWith("udp:");
    }

    @Test
    void jvmProcessorCountIsSetBecauseCpuIsUnlimited() {
        assertThat(map(at(gateway(), "resources", "limits"))).doesNotContainKey("cpu");
        assertThat((List<?>) at(gateway(), "env")).anySatisfy(entry -> assertThat(map(entry))
            .containsEntry("name", "JAVA_TOOL_OPTIONS").hasEntrySatisfying("value", value -> assertThat((String) value)
            .matches("-XX:ActiveProcessorCount=[1-9]\\d*")));
    }

    @Test
    void redisSettingsMatchTestedFile() throws IOException {
        Map<String, String> tested = new HashMap<>();
        for (String line : Files.readAllLines(Tool.SITE.resolve("cluster").resolve("redis.conf"))) {
            String[] words = line.split(" ", 2);
            if (words.length == 2 && !line.startsWith("#")) {
                tested.put(words[0], words[1].replace("\"", ""));
            }
        }
        List<String> arguments = new ArrayList<>();
        for (Object argument : (List<?>) at(containers("StatefulSet arena-redis").get(0), "args")) {
            arguments.add((String) argument);
        }
        for (String setting : List.of("appendonly", "appendfsync", "save", "maxmemory-policy")) {
            assertThat(arguments.get(arguments.indexOf("--" + setting) + 1)).as(setting).isEqualTo(tested.get(setting));
        }
    }

    private Map<String, Object> manifest(String name) {
        assertThat(manifests).containsKey(name);
        return manifests.get(name);
    }

    private Map<String, Object> gateway() {
        return containers("Deployment arena").get(0);
    }

    private Object labels() {
        return at(manifest("Deployment arena"), "spec", "template", "metadata", "labels");
    }

    private List<Map<String, Object>> containers(String name) {
        List<Map<String, Object>> containers = new ArrayList<>();
        for (Object container : (List<?>) at(manifest(name), "spec", "template", "spec", "containers")) {
            containers.add(map(container));
        }
        return containers;
    }

    private static Map<String, Map<String, Object>> byName(Object list) {
        Map<String, Map<String, Object>> named = new HashMap<>();
        for (Object entry : (List<?>) list) {
            named.put(String.valueOf(map(entry).get("name")).toLowerCase(Locale.ROOT), map(entry));
        }
        return named;
    }

    /** Reads a property of {@code application.yaml}, whose name may be nested or contain dots. */
    private Object property(String name) {
        return property(application, name);
    }

    private static Object property(Map<String, Object> tree, String name) {
        for (Map.Entry<String, Object> entry : tree.entrySet()) {
            if (entry.getKey().equals(name)) {
                return entry.getValue();
            }
            if (name.startsWith(entry.getKey() + '.') && entry.getValue() instanceof Map) {
                Object found = property(map(entry.getValue()), name.substring(entry.getKey().length() + 1));
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private static Object at(Object tree, String... path) {
        Object found = tree;
        for (String step : path) {
            assertThat(map(found)).containsKey(step);
            found = map(found).get(step);
        }
        return found;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
