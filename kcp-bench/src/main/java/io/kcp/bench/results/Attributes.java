package io.kcp.bench.results;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Description of a value in a table. Attributes of the table apply to all values, those of a column replace them, and those of a row
 * replace both.
 *
 * @param file          name of the result file, without {@code .json}
 * @param cell          entries that the cells of the runs must have; an empty value means that they must not have the key. The entries of
 *                      table, column and row are united
 * @param metric        one or more metrics, which are separated by semicolons in the table
 * @param divide        divisor of all values, for example 1000 for milliseconds
 * @param decimals      number of decimals; without it, values have three significant digits
 * @param show          {@code median} (the default), {@code median (range)}, {@code median (highest)}, {@code range}, {@code highest},
 *                      {@code lowest} or {@code runs}
 * @param best          which cell to show if several have the entries, such as {@code highest mb_s}: that with the highest median
 * @param label         key of the cell whose value is shown after the number, such as {@code settings}
 * @param ratioTo       other entries of the cell, by whose median all values are divided
 * @param percentOfBest key of the cell; values are in percent of the highest median of all values of this key
 * @param suffix        text after the number, such as a unit
 */
record Attributes(@Nullable String file, Map<String, String> cell, List<String> metric, @Nullable Double divide, @Nullable Integer decimals,
    @Nullable String show, @Nullable String best, @Nullable String label, Map<String, String> ratioTo, @Nullable String percentOfBest,
    @Nullable String suffix) {

    /** Reads the attributes that an object contains. */
    static Attributes read(StrictObject object) {
        Double decimals = object.optionalNumber("decimals");
        return new Attributes(object.optionalText("file"), optionalTexts(object, "cell"),
            object.has("metric") ? object.textList("metric") : List.of(), object.optionalNumber("divide"),
            decimals == null ? null : decimals.intValue(), object.optionalText("show"), object.optionalText("best"),
            object.optionalText("label"), optionalTexts(object, "ratioTo"), object.optionalText("percentOfBest"),
            object.optionalText("suffix"));
    }

    private static Map<String, String> optionalTexts(StrictObject object, String field) {
        return object.has(field) ? object.texts(field) : Map.of();
    }

    /** Returns these attributes, replaced by those that the other object has. The entries of both cells are united. */
    Attributes with(Attributes other) {
        return new Attributes(other.file == null ? file : other.file, union(cell, other.cell),
            other.metric.isEmpty() ? metric : other.metric, other.divide == null ? divide : other.divide,
            other.decimals == null ? decimals : other.decimals, other.show == null ? show : other.show,
            other.best == null ? best : other.best, other.label == null ? label : other.label,
            other.ratioTo.isEmpty() ? ratioTo : other.ratioTo,
            other.percentOfBest == null ? percentOfBest : other.percentOfBest, other.suffix == null ? suffix : other.suffix);
    }

    /** Returns these attributes with other entries of the cell. */
    Attributes withCell(Map<String, String> entries) {
        return new Attributes(file, union(cell, entries), metric, divide, decimals, show, best, label, ratioTo, percentOfBest, suffix);
    }

    private static Map<String, String> union(Map<String, String> one, Map<String, String> other) {
        Map<String, String> union = new LinkedHashMap<>(one);
        union.putAll(other);
        return union;
    }
}
