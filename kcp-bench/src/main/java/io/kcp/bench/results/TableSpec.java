package io.kcp.bench.results;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Description of a table, whose values are the combinations of rows and columns.
 *
 * @param heads   heads of the leading columns, which contain the titles of the rows
 * @param columns the other columns
 */
record TableSpec(String name, Attributes attributes, List<String> heads, List<Column> columns, List<Row> rows) {

    /**
     * A column of values or of notes.
     *
     * @param isNote {@code true} for a column with the notes of the rows
     */
    record Column(String title, boolean isNote, Attributes attributes) {
    }

    /**
     * A row.
     *
     * @param titles titles in the leading columns
     * @param only   titles of the columns in which the row has values, empty for all columns
     * @param note   text in the column of notes
     */
    record Row(List<String> titles, List<String> only, String note, Attributes attributes) {

        boolean has(Column column) {
            return only.isEmpty() || only.contains(column.title());
        }
    }

    /** Reads a table. The caller must have read all other fields of the object. */
    static TableSpec read(String name, StrictObject object) {
        Attributes attributes = Attributes.read(object);
        List<Column> columns = new ArrayList<>();
        for (StrictObject column : object.objects("columns")) {
            boolean isNote = column.has("note") && column.bool("note");
            columns.add(new Column(column.text("title"), isNote, Attributes.read(column)));
            column.end();
        }
        List<String> heads;
        List<Row> rows = new ArrayList<>();
        if (object.has("keys")) {
            List<StrictObject> keys = object.objects("keys");
            heads = keys.stream().map(key -> key.text("title")).toList();
            addCombinations(keys, 0, List.of(), Map.of(), rows);
        } else {
            heads = object.textList("head");
            for (StrictObject row : object.objects("rows")) {
                rows.add(row(row, columns));
            }
        }
        object.end();
        return new TableSpec(name, attributes, heads, List.copyOf(columns), List.copyOf(rows));
    }

    private static Row row(StrictObject row, List<Column> columns) {
        List<String> titles = row.textList("title");
        List<String> only = row.has("only") ? row.textList("only") : List.of();
        Set<String> unknown = new HashSet<>(only);
        columns.forEach(column -> unknown.remove(column.title()));
        if (!unknown.isEmpty()) {
            throw row.invalid("only", "has no such column: " + unknown);
        }
        String note = row.optionalText("note");
        Attributes attributes = Attributes.read(row);
        row.end();
        return new Row(titles, only, note == null ? "" : note, attributes);
    }

    /** Adds a row for each combination of the values of all keys. */
    private static void addCombinations(List<StrictObject> keys, int index, List<String> titles, Map<String, String> cell, List<Row> rows) {
        if (index == keys.size()) {
            Attributes empty = new Attributes(null, cell, List.of(), null, null, null, null, null, Map.of(), null, null);
            rows.add(new Row(titles, List.of(), "", empty));
            return;
        }
        StrictObject key = keys.get(index);
        String name = key.text("key");
        Map<String, String> values = key.texts("values");
        key.end();
        values.forEach((value, title) -> {
            List<String> moreTitles = new ArrayList<>(titles);
            moreTitles.add(title);
            Map<String, String> moreCell = new LinkedHashMap<>(cell);
            moreCell.put(name, value);
            addCombinations(keys, index + 1, moreTitles, moreCell, rows);
        });
    }

    /** Returns the attributes of a value. */
    Attributes attributes(Row row, Column column) {
        return attributes.with(column.attributes()).with(row.attributes());
    }

    /** Returns the names of the result files that the table needs. */
    Set<String> files() {
        Set<String> files = new LinkedHashSet<>();
        for (Row row : rows) {
            for (Column column : columns) {
                if (!column.isNote() && row.has(column)) {
                    String file = attributes(row, column).file();
                    if (file == null) {
                        throw new IllegalArgumentException("table " + name + ", row " + row.titles() + ", column " + column.title()
                            + ": the attribute file is missing");
                    }
                    files.add(file);
                }
            }
        }
        return files;
    }
}
