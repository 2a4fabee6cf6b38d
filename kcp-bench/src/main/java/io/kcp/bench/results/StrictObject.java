package io.kcp.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JSON object of a file of which every field must be known and must have the expected type. Errors name the file and the field. */
final class StrictObject {

    private static final JsonMapper MAPPER = JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private final Path file;
    private final String path;
    private final JsonNode node;
    private final Set<String> read = new HashSet<>();

    /**
     * Wraps a JSON object.
     *
     * @param path path of the object within the file, empty for the whole file
     */
    StrictObject(Path file, String path, JsonNode node) {
        this.file = file;
        this.path = path;
        this.node = node;
        if (!node.isObject()) {
            throw new IllegalArgumentException(file + ": " + (path.isEmpty() ? "the file" : path) + " must be a JSON object");
        }
    }

    /** Reads a file that contains an object. Repeated fields are errors. */
    static StrictObject read(Path file) throws IOException {
        try {
            return new StrictObject(file, "", MAPPER.readTree(Files.readString(file)));
        } catch (JacksonException invalid) {
            throw new IllegalArgumentException(file + " is not valid JSON: " + invalid.getOriginalMessage(), invalid);
        }
    }

    /** Returns an exception about a field of this object. */
    IllegalArgumentException invalid(String field, String problem) {
        return new IllegalArgumentException(file + ": " + name(field) + ' ' + problem);
    }

    private String name(String field) {
        return path.isEmpty() ? field : path + '.' + field;
    }

    boolean has(String field) {
        return node.has(field);
    }

    /** Returns the names of all fields in the order of the file. */
    List<String> fields() {
        return List.copyOf(node.propertyNames());
    }

    private JsonNode required(String field) {
        read.add(field);
        JsonNode value = node.get(field);
        if (value == null) {
            throw invalid(field, "is missing");
        }
        return value;
    }

    String text(String field) {
        JsonNode value = required(field);
        if (!value.isString()) {
            throw invalid(field, "must be a text");
        }
        return value.asString();
    }

    @Nullable String optionalText(String field) {
        return has(field) ? text(field) : null;
    }

    int integer(String field) {
        JsonNode value = required(field);
        if (!value.isInt()) {
            throw invalid(field, "must be an integer");
        }
        return value.intValue();
    }

    boolean bool(String field) {
        JsonNode value = required(field);
        if (!value.isBoolean()) {
            throw invalid(field, "must be true or false");
        }
        return value.booleanValue();
    }

    double number(String field) {
        JsonNode value = required(field);
        if (!value.isNumber()) {
            throw invalid(field, "must be a number");
        }
        return value.doubleValue();
    }

    @Nullable Double optionalNumber(String field) {
        return has(field) ? number(field) : null;
    }

    StrictObject object(String field) {
        return new StrictObject(file, name(field), required(field));
    }

    Map<String, String> texts(String field) {
        StrictObject object = object(field);
        Map<String, String> texts = new LinkedHashMap<>();
        object.fields().forEach(key -> texts.put(key, object.text(key)));
        return texts;
    }

    Map<String, Double> numbers(String field) {
        StrictObject object = object(field);
        Map<String, Double> numbers = new LinkedHashMap<>();
        object.fields().forEach(key -> numbers.put(key, object.number(key)));
        return numbers;
    }

    private List<JsonNode> elements(String field) {
        JsonNode value = required(field);
        if (!value.isArray()) {
            throw invalid(field, "must be a list");
        }
        return value.valueStream().toList();
    }

    List<StrictObject> objects(String field) {
        List<StrictObject> objects = new ArrayList<>();
        for (JsonNode element : elements(field)) {
            objects.add(new StrictObject(file, name(field) + '[' + objects.size() + ']', element));
        }
        return objects;
    }

    /** Returns a list of texts. A single text is a list of one element. */
    List<String> textList(String field) {
        if (required(field).isString()) {
            return List.of(text(field));
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode element : elements(field)) {
            if (!element.isString()) {
                throw invalid(field + '[' + texts.size() + ']', "must be a text");
            }
            texts.add(element.asString());
        }
        return texts;
    }

    /** Checks that all fields were read. */
    void end() {
        Set<String> unknown = new TreeSet<>(node.propertyNames());
        unknown.removeAll(read);
        if (!unknown.isEmpty()) {
            throw invalid(unknown.iterator().next(), "is not a known field");
        }
    }
}
