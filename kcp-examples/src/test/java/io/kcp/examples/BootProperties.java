package io.kcp.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

/** The properties that Spring Boot applications may set, read from the configuration metadata on the class path. */
final class BootProperties {

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    private final Map<String, Map<String, Object>> byName = new TreeMap<>();
    private final Map<String, List<String>> hints = new HashMap<>();

    /** Reads all metadata on the class path. */
    BootProperties() {
        try {
            for (URL url : Collections.list(BootProperties.class.getClassLoader().getResources(METADATA))) {
                try (InputStream in = url.openStream()) {
                    Map<?, ?> metadata = JsonMapper.shared().readValue(in, Map.class);
                    for (Object property : (List<?>) metadata.get("properties")) {
                        Map<String, Object> entry = new LinkedHashMap<>();
                        ((Map<?, ?>) property).forEach((key, value) -> entry.put(String.valueOf(key), value));
                        byName.put(String.valueOf(entry.get("name")), entry);
                    }
                    if (metadata.get("hints") instanceof List<?> suggested) {
                        suggested.forEach(hint -> addHint((Map<?, ?>) hint));
                    }
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void addHint(Map<?, ?> hint) {
        if (String.valueOf(hint.get("name")).startsWith("kcp.") && hint.get("values") instanceof List<?> values) {
            hints.put(String.valueOf(hint.get("name")), values.stream().map(value -> String.valueOf(((Map<?, ?>) value).get("value")))
                .toList());
        }
    }

    /** Returns {@code true} if a property is known. Named servers and clients have the properties of a single server or client. */
    boolean exists(String name) {
        String single = name.replaceFirst("^kcp\\.(server|client)s\\.[^.]+\\.", "kcp.$1.");
        return byName.containsKey(single) || !name.startsWith("kcp.")
            && (isEntryOfMap(name) || byName.keySet().stream().noneMatch(known -> sameRoot(known, name)));
    }

    /** Returns {@code true} if a prefix of the name is a property that maps names, such as those of SSL bundles, to further properties. */
    private boolean isEntryOfMap(String name) {
        return byName.entrySet().stream().anyMatch(known -> name.startsWith(known.getKey() + ".")
            && String.valueOf(known.getValue().get("type")).startsWith("java.util.Map"));
    }

    /** Properties of other libraries are checked only if the library is on the class path. */
    private static boolean sameRoot(String known, String name) {
        return known.startsWith(name.replaceFirst("^(\\w+\\.[\\w-]+)\\..*", "$1") + ".");
    }

    /** Returns the property names in a properties file. */
    static List<String> names(Properties properties) {
        return properties.stringPropertyNames().stream().sorted().toList();
    }

    /** Returns the property names in a YAML file. */
    static List<String> namesInYaml(String text) {
        Map<String, Object> flat = new TreeMap<>();
        for (Object document : new Yaml().loadAll(text)) {
            flatten("", document, flat);
        }
        return List.copyOf(flat.keySet());
    }

    private static void flatten(String prefix, Object value, Map<String, Object> flat) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, inner) -> flatten(prefix.isEmpty() ? String.valueOf(key) : prefix + "." + key, inner, flat));
        } else {
            flat.put(prefix, value);
        }
    }

    /** Returns a Markdown table of all {@code kcp.*} properties. */
    String table() {
        return byName.values().stream().filter(property -> String.valueOf(property.get("name")).startsWith("kcp."))
            .map(property -> "| `" + property.get("name") + "` | " + type(property) + " | "
                + (property.get("defaultValue") == null ? "" : "`" + property.get("defaultValue") + "`") + " | "
                + String.valueOf(property.get("description")).replace("|", "\\|") + values(property) + " |")
            .collect(Collectors.joining("\n", "| property | type | default | |\n|---|---|---|---|\n", "\n"));
    }

    /** Returns the values that a property accepts, or an empty text if they are not enumerable. */
    private String values(Map<String, Object> property) {
        List<String> words = hints.getOrDefault(String.valueOf(property.get("name")), constants(String.valueOf(property.get("type"))));
        return words.isEmpty() ? "" : words.stream().collect(Collectors.joining("`, `", " One of `", "`."));
    }

    private static List<String> constants(String type) {
        if (!type.startsWith("io.kcp.")) {
            return List.of();
        }
        try {
            Object[] constants = Class.forName(type).getEnumConstants();
            return constants == null ? List.of()
                : Stream.of(constants).map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-')).toList();
        } catch (ClassNotFoundException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static String type(Map<String, Object> property) {
        String type = String.valueOf(property.get("type"));
        return type.startsWith("java.util.Map") ? "by name" : type.replaceAll("[\\w.]+[.$](\\w+)", "$1").replaceAll("[<>]", " ").strip();
    }
}
