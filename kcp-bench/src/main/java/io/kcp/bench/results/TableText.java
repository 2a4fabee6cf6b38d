package io.kcp.bench.results;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Writes a table in Markdown, with a line below it that says how it was measured. */
final class TableText {

    private final TableSpec table;
    private final Map<String, ResultFile> files;

    /** Prepares a table. The map must contain all files that the table needs. */
    TableText(TableSpec table, Map<String, ResultFile> files) {
        this.table = table;
        this.files = files;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        List<String> head = new ArrayList<>(table.heads());
        table.columns().forEach(column -> head.add(column.title()));
        append(text, head);
        text.append("|---".repeat(head.size())).append("|\n");
        for (TableSpec.Row row : table.rows()) {
            List<String> cells = new ArrayList<>(row.titles());
            table.columns().forEach(column -> cells.add(cell(row, column)));
            append(text, cells);
        }
        text.append('\n').append(table.files().stream().map(name -> new Footnote(Objects.requireNonNull(files.get(name))).text())
            .collect(Collectors.joining(" ")));
        return text.append('\n').toString();
    }

    private static void append(StringBuilder text, List<String> cells) {
        text.append(cells.stream().map(cell -> cell.isEmpty() ? "| " : "| " + cell + ' ').collect(Collectors.joining())).append("|\n");
    }

    private String cell(TableSpec.Row row, TableSpec.Column column) {
        if (column.isNote()) {
            return row.note();
        }
        return row.has(column) ? value(table, row, column, files, ValueText::text) : "";
    }

    /** Applies a function to the value of a cell. An error names the table, the row and the column. */
    static <T> T value(TableSpec table, TableSpec.Row row, TableSpec.Column column, Map<String, ResultFile> files,
        Function<ValueText, T> function) {
        Attributes attributes = table.attributes(row, column);
        try {
            return function.apply(new ValueText(Objects.requireNonNull(files.get(attributes.file())), attributes));
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException("table " + table.name() + ", row " + row.titles() + ", column " + column.title() + ": "
                + invalid.getMessage(), invalid);
        }
    }
}
