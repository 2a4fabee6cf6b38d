package io.kcp.spring.actuate;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Grafana dashboard and its Prometheus queries. */
final class Dashboard {

    private static final Path SITE = Path.of("..", "src", "site");
    private static final Pattern SELECTOR = Pattern.compile("\\b(kcp_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(=~|=)\"([^\"]*)\"");

    private Dashboard() {
    }

    /** Returns the expressions of all panels. */
    static List<String> expressions() throws IOException {
        return JsonPath.read(Files.readString(SITE.resolve(Path.of("resources", "grafana", "kcp.json"))), "$.panels[*].targets[*].expr");
    }

    /** Returns the expressions that the guide recommends. */
    static List<String> guideExpressions() throws IOException {
        List<String> expressions = new ArrayList<>();
        Matcher code = Pattern.compile("`([^`]*kcp_[^`]*)`").matcher(Files.readString(SITE.resolve(Path.of("markdown", "metrics.md")))
            .replaceFirst("(?s).*## Prometheus queries and alerts", "").replaceFirst("(?s)\n## .*", ""));
        while (code.find()) {
            expressions.add(code.group(1).replace("\\|", "|"));
        }
        return expressions;
    }

    /** Returns the metrics that expressions name. */
    static Set<String> names(List<String> expressions) {
        Set<String> names = new TreeSet<>();
        expressions.forEach(expression -> {
            Matcher selector = SELECTOR.matcher(expression);
            while (selector.find()) {
                names.add(selector.group(1));
            }
        });
        return names;
    }

    /** Returns the selectors of an expression that no sample of a scrape matches. */
    static List<String> unanswered(String expression, String scrape) {
        List<String> unanswered = new ArrayList<>();
        Matcher selector = SELECTOR.matcher(expression);
        while (selector.find()) {
            Map<String, Pattern> wanted = new HashMap<>();
            Matcher matcher = MATCHER.matcher(selector.group(2) == null ? "" : selector.group(2));
            while (matcher.find()) {
                // Prometheus adds the instance label, and Grafana's variables match any value.
                if (!matcher.group(1).equals("instance")) {
                    String value = matcher.group(3).startsWith("$") ? ".*" : matcher.group(3);
                    wanted.put(matcher.group(1), Pattern.compile(matcher.group(2).equals("=") ? Pattern.quote(value) : value));
                }
            }
            String name = selector.group(1);
            if (scrape.lines().filter(line -> line.startsWith(name + '{')).noneMatch(line -> matches(line, wanted))) {
                unanswered.add(selector.group());
            }
        }
        return unanswered;
    }

    private static boolean matches(String sample, Map<String, Pattern> wanted) {
        Map<String, String> labels = new HashMap<>();
        Matcher matcher = MATCHER.matcher(sample);
        while (matcher.find()) {
            labels.put(matcher.group(1), matcher.group(3));
        }
        return wanted.entrySet().stream().allMatch(want -> labels.containsKey(want.getKey())
            && want.getValue().matcher(labels.get(want.getKey())).matches());
    }
}
