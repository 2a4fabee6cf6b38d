package io.kcp.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@link SideBySide} wrote to files. */
final class Results {

    /**
     * A scenario of a file.
     *
     * @param file       index of the file it is of
     * @param title      for people
     * @param metrics    what is shown
     * @param contenders who took part, in their order
     * @param targets    what came of the targets
     * @param failures   messages by contender
     */
    record Shown(int file, String title, List<Metric> metrics, List<Figures> contenders, List<Verdict> targets,
        Map<String, String> failures) {

        /** The contenders that have a figure, each with it alone. */
        List<Series> series(Metric metric) {
            return contenders.stream().filter(contender -> contender.median.containsKey(metric))
                .map(contender -> contender.series(metric)).toList();
        }
    }

    /** One contender: medians, and the runs they are of. */
    record Figures(String name, Map<Metric, Double> median, List<Map<Metric, Double>> runs) {

        double median(Metric metric) {
            return median.getOrDefault(metric, Double.NaN);
        }

        private Series series(Metric metric) {
            double[] all = runs.stream().mapToDouble(run -> run.getOrDefault(metric, Double.NaN)).filter(value -> !Double.isNaN(value))
                .toArray();
            double value = median(metric);
            return new Series(name, List.of(value), List.of(Arrays.stream(all).min().orElse(value)),
                List.of(Arrays.stream(all).max().orElse(value)));
        }
    }

    /** A target; {@code reached} is null if a figure is missing. */
    record Verdict(Metric metric, String whose, String wanted, String best, double value, boolean isRatio, @Nullable Boolean reached) {
    }

    private final List<Map<String, @Nullable Object>> files = new ArrayList<>();
    private final Map<String, Shown> scenarios = new LinkedHashMap<>();

    /** Reads files; a scenario that several have is that of the last. */
    static Results read(List<Path> paths) {
        Results results = new Results();
        for (Path path : paths) {
            try {
                results.add(Json.parseObject(Files.readString(path)));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(path + ": " + wrong.getMessage(), wrong);
            }
        }
        return results;
    }

    /** What the files say of themselves. */
    List<Map<String, @Nullable Object>> files() {
        return files;
    }

    /** By name, in the order of the files. */
    Map<String, Shown> scenarios() {
        return scenarios;
    }

    private void add(Map<String, @Nullable Object> file) {
        files.add(file);
        for (Map<?, ?> scenario : objects(file.get("scenarios"))) {
            List<Metric> metrics = new ArrayList<>();
            strings(scenario.get("metrics")).forEach(key -> metrics.add(Metric.ofKey(key)));
            scenarios.put(text(scenario.get("name")), new Shown(files.size() - 1, text(scenario.get("title")), metrics,
                objects(scenario.get("contenders")).stream().map(Results::contender).toList(),
                objects(scenario.get("targets")).stream().map(Results::verdict).toList(), texts(scenario.get("failures"))));
        }
    }

    private static Figures contender(Map<?, ?> json) {
        return new Figures(text(json.get("name")), figures(json.get("median")),
            objects(json.get("runs")).stream().map(Results::figures).toList());
    }

    private static Verdict verdict(Map<?, ?> json) {
        return new Verdict(Metric.ofKey(text(json.get("metric"))), text(json.get("whose")), text(json.get("wanted")),
            text(json.get("best")), number(json.get("value")), Boolean.TRUE.equals(json.get("is_ratio")), (Boolean) json.get("reached"));
    }

    private static Map<Metric, Double> figures(@Nullable Object json) {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        if (json instanceof Map<?, ?> object) {
            object.forEach((key, value) -> figures.put(Metric.ofKey(text(key)), number(value)));
        }
        return figures;
    }

    /** The objects of an array; none if it is no array. */
    static List<Map<?, ?>> objects(@Nullable Object json) {
        List<Map<?, ?>> objects = new ArrayList<>();
        if (json instanceof List<?> array) {
            for (Object element : array) {
                if (element instanceof Map<?, ?> object) {
                    objects.add(object);
                }
            }
        }
        return objects;
    }

    private static List<String> strings(@Nullable Object json) {
        return json instanceof List<?> array ? array.stream().map(Results::text).toList() : List.of();
    }

    private static Map<String, String> texts(@Nullable Object json) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (json instanceof Map<?, ?> object) {
            object.forEach((key, value) -> texts.put(text(key), text(value)));
        }
        return texts;
    }

    /** A string or number as text; empty if there is nothing. */
    static String text(@Nullable Object json) {
        return json == null ? "" : json instanceof Double number ? Json.number(number) : json.toString();
    }

    /** NaN if it is no number. */
    static double number(@Nullable Object json) {
        return json instanceof Double number ? number : Double.NaN;
    }
}
