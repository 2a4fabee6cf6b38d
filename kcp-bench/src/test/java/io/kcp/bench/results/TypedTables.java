package io.kcp.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the tables of a page that contain figures and are not generated, and reads the list of those that may exist. */
final class TypedTables {

    /** Matches a cell that begins with a number, possibly after a word such as "median" or a sign. */
    private static final Pattern FIGURE = Pattern.compile("(?:[a-z]+ )?\\W{0,3}\\d[\\d,.]*(?:[^\\w.].*|)");
    /** A table with fewer cells that begin with numbers describes something else. */
    private static final int MIN_FIGURES = 2;
    private static final Pattern DELIMITER = Pattern.compile("\\|[-| :]+\\|");
    private static final Pattern ENTRY = Pattern.compile("(\\d+) × (\\S+ # .*?): (?:until (\\S+): )?(.+)");

    /**
     * A table with figures.
     *
     * @param section title of the section that contains the table
     * @param head    the first line
     */
    record Table(String section, String head) {
    }

    /**
     * An entry of the list, which allows the typed tables of a section.
     *
     * @param tables number of these tables
     * @param until  name of the generated table that will replace the typed one, empty if none will
     * @param reason why the table is not generated
     */
    record Entry(int tables, String until, String reason) {
    }

    private TypedTables() {
    }

    /** Returns the tables with figures outside of generated blocks, except tables of options, which have a column of defaults. */
    static List<Table> find(String page) {
        List<Table> tables = new ArrayList<>();
        List<String> lines = new GeneratedPage(page).withoutBlocks().lines().toList();
        String section = "";
        boolean isCode = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            isCode ^= line.strip().startsWith("```");
            if (!isCode && line.startsWith("#")) {
                section = line.replaceFirst("#+ *", "");
            } else if (!isCode && line.startsWith("|") && i + 1 < lines.size() && DELIMITER.matcher(lines.get(i + 1)).matches()) {
                String head = line;
                long figures = 0;
                for (i += 2; i < lines.size() && lines.get(i).startsWith("|"); i++) {
                    figures += cells(lines.get(i)).stream().skip(1).filter(cell -> FIGURE.matcher(cell).matches()).count();
                }
                if (figures >= MIN_FIGURES && cells(head).stream().noneMatch(cell -> cell.matches("default(?: of .*)?"))) {
                    tables.add(new Table(section, head));
                }
            }
        }
        return tables;
    }

    private static List<String> cells(String line) {
        return Arrays.stream(line.substring(1).split("\\|", -1)).map(String::strip).toList();
    }

    /** Reads the list. The keys are the path of the page and the title of the section, separated by a space and a number sign. */
    static Map<String, Entry> list(Path file) throws IOException {
        Map<String, Entry> entries = new LinkedHashMap<>();
        for (String line : Files.readAllLines(file)) {
            Matcher entry = ENTRY.matcher(line);
            if (entry.matches()) {
                entries.put(entry.group(2), new Entry(Integer.parseInt(entry.group(1)), entry.group(3) == null ? "" : entry.group(3),
                    entry.group(4)));
            } else if (!line.isEmpty()) {
                throw new IllegalArgumentException(file + ": a line must be 'NUMBER × PAGE # SECTION: REASON', but is " + line);
            }
        }
        return entries;
    }
}
