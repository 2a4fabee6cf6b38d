package io.kcp.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.kcp.core.crypto.CryptoConfig;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an editor shows of the properties. */
class ConfigurationMetadataTest {

    private static <T> T read(String path) throws IOException {
        try (InputStream json = KcpProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(json).as("metadata made by the configuration processor").isNotNull();
            return JsonPath.read(json, path);
        }
    }

    @Test
    void everyPropertyHasADescriptionThatIsASentence() throws IOException {
        List<Map<String, Object>> properties = read("$.properties[*]");
        assertThat(properties).hasSizeGreaterThan(40).allSatisfy(property -> {
            assertThat((String) property.get("name")).matches("(management\\.(endpoint|health)\\.)?kcp\\..+");
            assertThat((String) property.get("description")).as("description of " + property.get("name")).isNotBlank().endsWith(".")
                .doesNotContain("{@");
        });
    }

    @Test
    void serverAndClientHaveTheSameSettingsOfSessions() throws IOException {
        List<String> names = read("$.properties[*].name");
        List<String> client = names.stream().filter(name -> name.startsWith("kcp.client.crypt") || name.startsWith("kcp.client.tuning"))
            .map(name -> name.replace("kcp.client.", "kcp.server.")).toList();
        assertThat(client).hasSizeGreaterThan(10);
        assertThat(names).containsAll(client).contains("kcp.server.port", "kcp.servers");
    }

    @Test
    void ciphersAreSuggested() throws IOException {
        for (String owner : List.of("server", "client")) {
            List<String> suggested = read("$.hints[?(@.name == 'kcp." + owner + ".crypt.type')].values[*].value");
            assertThat(suggested).containsExactlyElementsOf(CryptoConfig.names());
        }
    }

    @Test
    void defaultsAreTold() throws IOException {
        List<Object> profile = read("$.properties[?(@.name == 'kcp.server.profile')].defaultValue");
        List<Object> shutdown = read("$.properties[?(@.name == 'kcp.server.shutdown')].defaultValue");
        assertThat(profile).containsExactly("fast3");
        assertThat(shutdown).containsExactly("graceful");
    }
}
