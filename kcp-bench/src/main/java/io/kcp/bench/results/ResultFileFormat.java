package io.kcp.bench.results;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The JSON format of {@link ResultFile}. The reader accepts no missing, unknown or repeated fields. */
final class ResultFileFormat {

    private static final JsonMapper MAPPER = new JsonMapper();

    private final Path file;

    ResultFileFormat(Path file) {
        this.file = file;
    }

    ResultFile read() throws IOException {
        StrictObject object = StrictObject.read(file);
        int format = object.integer("format");
        if (format != ResultFile.FORMAT) {
            throw object.invalid("format", "is " + format + ", but this program reads only " + ResultFile.FORMAT);
        }
        String experiment = object.text("experiment");
        Instant started = time(object, "started");
        Instant finished = time(object, "finished");
        String commit = object.optionalText("commit");
        boolean modified = object.bool("modified");
        String command = object.text("command");
        String jar = object.optionalText("jarSha256");
        Machine machine = new Machine(object.text("processor"), object.integer("processors"), object.text("kernel"), object.text("java"));
        String go = object.optionalText("go");
        Map<String, String> options = object.texts("options");
        List<ResultFile.Run> runs = new ArrayList<>();
        for (StrictObject run : object.objects("runs")) {
            runs.add(run(run));
        }
        object.end();
        return new ResultFile(experiment, started, finished, commit, modified, command, jar, machine, go, options, List.copyOf(runs));
    }

    private static Instant time(StrictObject object, String field) {
        String text = object.text(field);
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException invalid) {
            throw object.invalid(field, "is not a time: " + text);
        }
    }

    private static ResultFile.Run run(StrictObject object) {
        String failure = object.optionalText("failure");
        Map<String, String> cell = object.texts("cell");
        int round = object.integer("round");
        int order = object.integer("order");
        Double steal = object.optionalNumber("stealPercent");
        Map<String, Double> metrics = failure == null ? object.numbers("metrics") : Map.of();
        object.end();
        return new ResultFile.Run(cell, round, order, steal, metrics, failure);
    }

    /** Returns the text of a file, with one line for each field and each run. */
    static String text(ResultFile content) {
        ObjectNode head = MAPPER.createObjectNode().put("format", ResultFile.FORMAT).put("experiment", content.experiment())
            .put("started", content.started().toString()).put("finished", content.finished().toString());
        putIfKnown(head, "commit", content.commit());
        head.put("modified", content.modified()).put("command", content.command());
        putIfKnown(head, "jarSha256", content.jarSha256());
        Machine machine = content.machine();
        head.put("processor", machine.processor()).put("processors", machine.processors()).put("kernel", machine.kernel())
            .put("java", machine.java());
        putIfKnown(head, "go", content.go());
        head.set("options", MAPPER.valueToTree(content.options()));
        String fields = head.properties().stream().map(field -> "  " + MAPPER.writeValueAsString(field.getKey()) + ": " + field.getValue())
            .collect(Collectors.joining(",\n"));
        String runs = content.runs().stream().map(run -> "\n    " + json(run)).collect(Collectors.joining(","));
        return "{\n" + fields + ",\n  \"runs\": [" + runs + (runs.isEmpty() ? "]\n}\n" : "\n  ]\n}\n");
    }

    private static ObjectNode json(ResultFile.Run run) {
        ObjectNode json = MAPPER.createObjectNode();
        json.set("cell", MAPPER.valueToTree(run.cell()));
        json.put("round", run.round()).put("order", run.order());
        if (run.stealPercent() != null) {
            json.put("stealPercent", run.stealPercent());
        }
        if (run.failure() == null) {
            json.set("metrics", MAPPER.valueToTree(new LinkedHashMap<>(run.metrics())));
        } else {
            json.put("failure", run.failure());
        }
        return json;
    }

    private static void putIfKnown(ObjectNode object, String field, @Nullable String value) {
        if (value != null) {
            object.put(field, value);
        }
    }
}
