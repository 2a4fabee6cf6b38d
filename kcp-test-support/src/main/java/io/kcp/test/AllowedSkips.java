package io.kcp.test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The tests that may be skipped although {@code -Dkcp.skips=fail} is set. The file {@code allowed-skips.txt} lists and explains them. */
final class AllowedSkips {

    private static final String FILE = "allowed-skips.txt";

    private final List<Rule> rules = new ArrayList<>();

    private AllowedSkips() {
    }

    static AllowedSkips load() {
        try (InputStream file = AllowedSkips.class.getResourceAsStream(FILE)) {
            if (file == null) {
                throw new IllegalStateException(FILE + " is missing.");
            }
            return parse(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new IllegalStateException("Cannot read " + FILE, failure);
        }
    }

    static AllowedSkips parse(String text) {
        AllowedSkips allowed = new AllowedSkips();
        text.lines().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("#")).map(Rule::parse)
            .forEach(allowed.rules::add);
        return allowed;
    }

    boolean contains(SkippedTest test) {
        // Evaluates the probe only of a rule whose patterns match.
        return rules.stream().anyMatch(rule -> rule.matches(test) && rule.condition.isMet());
    }

    private record Rule(Pattern test, Pattern reason, Probe condition) {

        static Rule parse(String line) {
            String[] columns = line.split(" +\\| +", -1);
            if (columns.length != 3) {
                throw new IllegalArgumentException("Not TEST | REASON | CONDITION: " + line);
            }
            return new Rule(glob(columns[0]), glob(columns[1]), Probe.named(columns[2]));
        }

        private static Pattern glob(String glob) {
            return Pattern.compile(Pattern.quote(glob).replace("*", "\\E.*\\Q"), Pattern.DOTALL);
        }

        boolean matches(SkippedTest skipped) {
            return test.matcher(skipped.name()).matches() && reason.matcher(skipped.reason()).matches();
        }
    }
}
