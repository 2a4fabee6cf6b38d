package io.kcp.testkit;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Prints the table whose program and arguments the system property {@code kcp.table} contains, such as {@code RecipeTable game 3}. */
@EnabledIfSystemProperty(named = "kcp.table", matches = ".+")
class TableTest {

    @Test
    void printsTable() throws IOException {
        String[] words = System.getProperty("kcp.table").split(" ");
        String[] arguments = Arrays.copyOfRange(words, 1, words.length);
        switch (words[0]) {
            case "AutoTable" -> AutoTable.main(arguments);
            case "CongestionTable" -> CongestionTable.main(arguments);
            case "RecipeTable" -> RecipeTable.main(arguments);
            case "SharedLinkTable" -> SharedLinkTable.main(arguments);
            default -> throw new IllegalArgumentException("kcp.table: " + words[0] + " is not a table");
        }
    }
}
