package io.kcp.bench;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes the JSON of results files and of the events that benchmark programs print, one event per line. */
public final class Json {

    /**
     * JSON mapper that names fields in snake case, writes them in the order in which records declare them, and writes unknown numbers (NaN)
     * as null.
     */
    public static final JsonMapper MAPPER = JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
        .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
        .addModule(new SimpleModule().addSerializer(double.class, new UnknownAsNull()).addSerializer(Double.class, new UnknownAsNull()))
        .build();

    private Json() {
    }

    /** Creates an event, to be printed as one line. */
    public static ObjectNode event(String name) {
        return MAPPER.createObjectNode().put("event", name);
    }

    /** Returns {@code true} if the object is the event with this name. */
    public static boolean isEvent(JsonNode line, String name) {
        return line.path("event").asString("").equals(name);
    }

    /** Returns the number in a field, or NaN if the field is missing or null. */
    public static double number(JsonNode object, String field) {
        JsonNode value = object.path(field);
        return value.isNumber() ? value.doubleValue() : Double.NaN;
    }

    /** Returns the increase of a number between two objects, or NaN if one of them lacks the field. */
    public static double difference(JsonNode before, JsonNode after, String field) {
        return number(after, field) - number(before, field);
    }

    /** Writes NaN as null, because Jackson would write the text "NaN", which readers of the file do not expect in place of a number. */
    private static final class UnknownAsNull extends ValueSerializer<Double> {

        @Override
        public void serialize(Double value, JsonGenerator generator, SerializationContext context) {
            if (value.isNaN()) {
                generator.writeNull();
            } else {
                generator.writeNumber(value);
            }
        }
    }
}
