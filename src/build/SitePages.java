import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prepares the Markdown pages for {@code mvn site}: {@code java SitePages.java REPOSITORY OUTPUT PROJECT_URL}. The pages are written for
 * GitHub, which names anchors differently than Doxia and can link to any file of the repository. This program
 * <ul>
 * <li>copies {@code src/site}, and SECURITY.md, CONTRIBUTING.md and CHANGELOG.md as further pages, to the output folder,
 * <li>adds GitHub's anchor to each heading,
 * <li>turns links between pages into links of the site, and links to sources into links to the project's repository,
 * <li>removes the hidden comments that only the tests of code blocks and the generator of tables read.
 * </ul>
 */
public final class SitePages {

    private static final List<String> PAGES_OF_ROOT = List.of("SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md");
    private static final Pattern HIDDEN_COMMENT = Pattern.compile(
        "(?sm)<!-- java:.*?-->\\R?|^<!-- (?:table: |chart: |end of )[^>]*-->$\\R?|<!-- SHA-256 \\w+ -->");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(#{1,6}) +(.*)");

    private final Path root;
    private final Path output;
    private final String projectUrl;
    /** Each source file that becomes a page or a resource, with its path below the site's root. */
    private final Map<Path, Path> published = new LinkedHashMap<>();

    private SitePages(Path root, Path output, String projectUrl) {
        this.root = root;
        this.output = output;
        this.projectUrl = projectUrl;
    }

    public static void main(String[] arguments) throws IOException {
        new SitePages(Path.of(arguments[0]).toAbsolutePath().normalize(), Path.of(arguments[1]), arguments[2]).write();
    }

    private void write() throws IOException {
        Path site = root.resolve("src/site");
        for (Path file : filesBelow(site.resolve("markdown"))) {
            published.put(file, site.resolve("markdown").relativize(file));
        }
        for (String name : PAGES_OF_ROOT) {
            published.put(root.resolve(name), Path.of(name.toLowerCase(Locale.ROOT)));
        }
        for (Path file : filesBelow(site.resolve("resources"))) {
            published.put(file, site.resolve("resources").relativize(file));
        }
        for (Map.Entry<Path, Path> entry : published.entrySet()) {
            boolean page = entry.getKey().toString().endsWith(".md");
            Path target = output.resolve(page ? "markdown" : "resources").resolve(entry.getValue().toString());
            Files.createDirectories(target.getParent());
            if (page) {
                Files.writeString(target, prepare(entry.getKey(), Files.readString(entry.getKey())));
            } else {
                Files.write(target, Files.readAllBytes(entry.getKey()));
            }
        }
        Files.copy(site.resolve("site.xml"), output.resolve("site.xml"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private static List<Path> filesBelow(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private String prepare(Path source, String text) {
        List<String> lines = new ArrayList<>();
        Set<String> anchors = new HashSet<>();
        boolean code = false;
        for (String line : HIDDEN_COMMENT.matcher(text).replaceAll("").lines().toList()) {
            if (line.strip().startsWith("```")) {
                code = !code;
            }
            Matcher heading = HEADING.matcher(line);
            if (code || line.startsWith("    ")) {
                lines.add(line);
            } else if (heading.matches()) {
                lines.add(heading.group(1) + " <a id=\"" + anchor(heading.group(2), anchors) + "\"></a>" + heading.group(2));
            } else {
                lines.add(LINK.matcher(line).replaceAll(link -> Matcher.quoteReplacement("](" + target(source, link.group(1)) + ")")));
            }
        }
        return lines.stream().collect(Collectors.joining("\n", "", "\n"));
    }

    /** Returns GitHub's anchor: lower case, hyphens for spaces, no other punctuation, and a number if it is taken. */
    private static String anchor(String heading, Set<String> taken) {
        String anchor = heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
        String unique = anchor;
        if (Character.isDigit(anchor.charAt(0))) {
            // Doxia turns links to such an anchor into links to one with this prefix.
            anchor = "a" + anchor;
            unique = anchor;
        }
        for (int i = 1; !taken.add(unique); i++) {
            unique = anchor + "-" + i;
        }
        return unique;
    }

    private String target(Path source, String link) {
        if (link.startsWith("#") || link.matches("[a-z]+:.*")) {
            return link;
        }
        String[] parts = link.split("#", 2);
        String anchor = parts.length == 2 ? "#" + parts[1] : "";
        Path file = source.resolveSibling(parts[0]).normalize();
        Path page = published.get(file);
        if (page == null) {
            return projectUrl + "/tree/HEAD/" + root.relativize(file) + anchor;
        }
        Path from = published.get(source).getParent();
        return (from == null ? page : from.relativize(page)) + anchor;
    }
}
