package io.kcp.bench.results;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tables with measured figures are generated, or {@code src/site/results/typed-tables.txt} says why they are not. */
class TypedTablesTest {

    private static final Path LIST = SpecificationTest.ROOT.resolve("src/site/results/typed-tables.txt");

    private static Map<String, List<TypedTables.Table>> tables() throws Exception {
        Map<String, List<TypedTables.Table>> tables = new TreeMap<>();
        for (Path page : new Documentation(SpecificationTest.ROOT).pages()) {
            String name = SpecificationTest.ROOT.relativize(page).toString().replace("src/site/markdown/", "");
            for (TypedTables.Table table : TypedTables.find(Files.readString(page))) {
                tables.computeIfAbsent(name + " # " + table.section(), any -> new ArrayList<>()).add(table);
            }
        }
        return tables;
    }

    @Test
    void typedTablesAreListed() throws Exception {
        Map<String, List<TypedTables.Table>> tables = tables();
        Map<String, TypedTables.Entry> entries = TypedTables.list(LIST);
        assertThat(tables.keySet()).as("sections with typed tables of figures: generate the tables from result files, or explain in "
            + LIST.getFileName() + " why they are not").isSubsetOf(entries.keySet());
        entries.forEach((section, entry) -> assertThat(tables.getOrDefault(section, List.of())).as(section).hasSize(entry.tables()));
    }

    @Test
    void earlierValuesAreRemovedWhenTheirTableIsMeasured() throws Exception {
        Documentation documentation = new Documentation(SpecificationTest.ROOT);
        Set<String> names = documentation.all().keySet();
        TypedTables.list(LIST).forEach((section, entry) -> {
            if (!entry.until().isEmpty()) {
                assertThat(names).as(section).contains(entry.until());
                assertThat(documentation.notMeasured()).as("remove the earlier values of " + section + " and their entry, because "
                    + entry.until() + " is measured").containsKey(entry.until());
            }
        });
    }

    @Test
    void typedFiguresAreFound() {
        assertThat(TypedTables.find("""
            # Page

            ## Speed

            | | ours | theirs |
            |---|---|---|
            | echo | 1,649 (1,466–1,726) | 155 |

            ```text
            | a | b |
            |---|---|
            | 1 | 2 |
            ```

            ## Delay

            | peer | delay |
            |---|---|
            | ours | median 12.9 µs |
            | theirs | < 200 ms |

            <!-- table: echo -->
            | | ours |
            |---|---|
            | echo | 3 |
            <!-- end of table -->

            | option | default |
            |---|---|
            | window | 128 |

            | name | use |
            |---|---|
            | `tea` | RFC 2 and others |
            """)).containsExactly(new TypedTables.Table("Speed", "| | ours | theirs |"),
            new TypedTables.Table("Delay", "| peer | delay |"));
    }
}
