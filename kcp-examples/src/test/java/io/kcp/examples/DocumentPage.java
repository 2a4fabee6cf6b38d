package io.kcp.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A parsed Markdown page of the documentation, with its code blocks, links and heading anchors. */
final class DocumentPage {

    /** The root folder of the repository, which is the parent of the module folder in which tests run. */
    static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    /** The language of a block that is indented by four spaces instead of fenced. Contains commands or plain text. */
    static final String INDENTED = "indented";

    private static final Pattern FENCE = Pattern.compile("( *)```(\\S*)\\s*");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]\\[]*(?:\\[[^\\]]*\\][^\\]\\[]*)*\\]\\(([^)\\s]+)\\)");
    private static final Pattern CODE_SPAN = Pattern.compile("`[^`]*`");
    private static final Pattern DECLARATIONS = Pattern.compile("<!-- java:(.*?)-->", Pattern.DOTALL);
    private static final Pattern LIST_ITEM = Pattern.compile("\\s*(?:[-*]|\\d+\\.) .*");

    private final Path file;
    private final List<CodeBlock> blocks = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final List<String> spans = new ArrayList<>();
    private final Set<String> anchors = new HashSet<>();
    private final List<String> declarations = new ArrayList<>();

    /** A link and the number of its line. */
    record Link(int line, String target) {
    }

    /** A code block with the number of its first line, counted from 1, and its language. */
    record CodeBlock(int line, String language, String text) {
    }

    private DocumentPage(Path file, String text) {
        this.file = file;
        List<String> prose = split(text.lines().toList());
        for (int i = 0; i < prose.size(); i++) {
            String line = prose.get(i);
            if (line.startsWith("#")) {
                addAnchor(line.replaceFirst("#+ *", ""));
            }
            Matcher link = LINK.matcher(CODE_SPAN.matcher(line).replaceAll(""));
            while (link.find()) {
                links.add(new Link(i + 1, link.group(1)));
            }
            Matcher labelled = Pattern.compile("\\[`[^`]*`\\]\\(([^)\\s]+)\\)").matcher(line);
            while (labelled.find()) {
                links.add(new Link(i + 1, labelled.group(1)));
            }
            Matcher span = CODE_SPAN.matcher(line);
            while (span.find()) {
                spans.add(span.group().substring(1, span.group().length() - 1));
            }
        }
        Matcher declared = DECLARATIONS.matcher(text);
        while (declared.find()) {
            declarations.addAll(declared.group(1).lines().map(String::strip).filter(line -> !line.isEmpty()).toList());
        }
    }

    static DocumentPage read(Path file) {
        try {
            return new DocumentPage(file, Files.readString(file));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Creates a page from a text, for tests of the checks themselves. */
    static DocumentPage of(String name, String text) {
        return new DocumentPage(ROOT.resolve(name), text);
    }

    /** Returns all pages whose code is checked, which are those for users and contributors. */
    static Stream<DocumentPage> all() {
        List<Path> files = new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("SECURITY.md"),
            ROOT.resolve("CONTRIBUTING.md")));
        files.addAll(markdownBelow(ROOT.resolve("src/site/markdown")));
        return files.stream().map(DocumentPage::read);
    }

    /** Returns all pages whose links are checked: {@link #all}, the changelog and the pages of separately built programs. */
    static Stream<DocumentPage> allLinked() {
        return Stream.of(all(), changelog(), markdownBelow(ROOT.resolve("src/interop")).stream().map(DocumentPage::read))
            .flatMap(Function.identity());
    }

    static Stream<DocumentPage> changelog() {
        return Stream.of(read(ROOT.resolve("CHANGELOG.md")));
    }

    /** Returns {@code true} if a folder with this name, within the clone, contains the file. The path of the clone may contain it, too. */
    static boolean isBelow(String folder, Path file) {
        return ('/' + ROOT.relativize(file).toString()).contains('/' + folder + '/');
    }

    private static List<Path> markdownBelow(Path folder) {
        // Excludes third-party files in build folders. Only the path within the clone is checked for such folders.
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".md") && !folder.relativize(file).startsWith("build")).sorted().toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Extracts the code blocks and returns the other lines, with empty lines in place of the blocks to keep line numbers. */
    private List<String> split(List<String> lines) {
        List<String> prose = new ArrayList<>();
        boolean inList = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            Matcher fence = FENCE.matcher(line);
            if (fence.matches()) {
                i = takeFenced(lines, i, fence, prose);
            } else if (!inList && line.startsWith("    ") && !line.isBlank() && (i == 0 || lines.get(i - 1).isBlank())) {
                i = takeIndented(lines, i, prose);
            } else {
                inList = LIST_ITEM.matcher(line).matches() || inList && (line.isBlank() || line.startsWith(" "));
                prose.add(line);
            }
        }
        return prose;
    }

    private int takeFenced(List<String> lines, int start, Matcher fence, List<String> prose) {
        String indent = fence.group(1);
        StringBuilder code = new StringBuilder();
        prose.add("");
        int i = start + 1;
        while (i < lines.size() && !lines.get(i).strip().equals("```")) {
            String line = lines.get(i);
            code.append(line.startsWith(indent) ? line.substring(indent.length()) : line).append('\n');
            prose.add("");
            i++;
        }
        if (i == lines.size()) {
            throw new AssertionError(name() + ":" + (start + 1) + ": the fence has no end");
        }
        prose.add("");
        blocks.add(new CodeBlock(start + 2, fence.group(2), code.toString()));
        return i;
    }

    private int takeIndented(List<String> lines, int start, List<String> prose) {
        StringBuilder code = new StringBuilder();
        int i = start;
        while (i < lines.size() && (lines.get(i).startsWith("    ") || lines.get(i).isBlank())) {
            code.append(lines.get(i).isBlank() ? "" : lines.get(i).substring(4)).append('\n');
            prose.add("");
            i++;
        }
        blocks.add(new CodeBlock(start + 1, INDENTED, code.toString()));
        return i - 1;
    }

    /** Adds an anchor as GitHub does: lower case, hyphens for spaces, no other punctuation, and a numeric suffix for duplicates. */
    private void addAnchor(String heading) {
        String anchor = heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
        String unique = anchor;
        for (int i = 1; !anchors.add(unique); i++) {
            unique = anchor + "-" + i;
        }
    }

    /** Returns the path within the repository. */
    String name() {
        return ROOT.relativize(file).toString();
    }

    Path file() {
        return file;
    }

    List<CodeBlock> blocks() {
        return blocks;
    }

    List<CodeBlock> blocks(String language) {
        return blocks.stream().filter(block -> block.language().equals(language)).toList();
    }

    List<Link> links() {
        return links;
    }

    /** Returns the texts between single backticks. */
    List<String> codeSpans() {
        return spans;
    }

    Set<String> anchors() {
        return anchors;
    }

    /** Returns the lines of hidden comments {@code <!-- java: ... -->}, which declare imports and members for the page's blocks. */
    List<String> javaDeclarations() {
        return declarations;
    }

    @Override
    public String toString() {
        return name();
    }
}
