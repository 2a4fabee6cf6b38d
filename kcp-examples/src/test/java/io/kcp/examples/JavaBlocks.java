package io.kcp.examples;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles all Java blocks of a page together in memory, with all javac warnings enabled. The kind of a block is determined by its
 * lines:
 * <ul>
 * <li>A block that begins with {@code package} or {@code import} is a complete file, which is compiled unchanged.
 * <li>A block with a line that begins with a type declaration contains types.
 * <li>A block that begins with an annotation, an access modifier, {@code static} or {@code void} contains members of a class.
 * <li>Any other block contains statements.
 * </ul>
 * Types, members and statements can use the star imports below and the declarations in hidden comments of their page,
 * {@code <!-- java: ... -->}, which contain imports and members such as {@code KcpChannel session;}, one per line. The types of a
 * block are visible to all blocks of the page.
 */
final class JavaBlocks {

    private static final List<String> IMPORTS = List.of("io.kcp.core.*", "io.kcp.core.crypto.*", "io.kcp.core.fec.*", "io.kcp.netty.*",
        "io.kcp.netty.bootstrap.*", "io.netty.buffer.*", "io.netty.channel.*", "java.net.InetSocketAddress", "java.time.Duration",
        "static java.nio.charset.StandardCharsets.UTF_8");
    private static final List<String> OPTIONS = List.of("-Xlint:all,-processing", "-proc:none", "-parameters", "--release", "17");
    private static final Pattern WHOLE_FILE = Pattern.compile("\\s*(?://[^\n]*\n\\s*)*(?:package|import) .*", Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile(
        "(?m)^(?:(?:public|final|abstract|sealed|non-sealed) )*(?:class|interface|record|enum|@interface) +(\\w+)");
    private static final Pattern MEMBER = Pattern.compile("\\s*(?:@|(?:public|protected|private|static|void) ).*", Pattern.DOTALL);

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final String classPath;

    JavaBlocks() {
        this(System.getProperty("java.class.path"));
    }

    JavaBlocks(String classPath) {
        this.classPath = classPath;
    }

    /** Compiles a page's blocks into a folder and returns the diagnostics, each with page, line and the message of javac. */
    List<String> compile(DocumentPage page, Path classes) throws IOException {
        String pack = "documents." + page.name().replaceAll("\\W+", "_").replaceFirst("^_", "");
        List<Source> sources = new ArrayList<>();
        for (DocumentPage.CodeBlock block : page.blocks("java")) {
            sources.add(source(page, pack, block));
        }
        if (sources.isEmpty()) {
            return List.of();
        }
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(said, null, null)) {
            files.setLocationFromPaths(javax.tools.StandardLocation.CLASS_OUTPUT, List.of(classes));
            files.setLocationFromPaths(javax.tools.StandardLocation.CLASS_PATH, paths());
            compile(files, said, sources);
        }
        Map<String, String> complaints = new TreeMap<>();
        for (Diagnostic<? extends JavaFileObject> diagnostic : said.getDiagnostics()) {
            String where = diagnostic.getSource() instanceof Source source ? source.place(diagnostic.getLineNumber()) : page.name();
            complaints.put(where + ": " + diagnostic.getKind() + ": " + diagnostic.getMessage(null), "");
        }
        return List.copyOf(complaints.keySet());
    }

    private void compile(JavaFileManager files, DiagnosticCollector<JavaFileObject> said, List<Source> sources) {
        compiler.getTask(null, files, said, OPTIONS, null, sources).call();
    }

    private List<Path> paths() {
        return Pattern.compile(Pattern.quote(System.getProperty("path.separator"))).splitAsStream(classPath)
            .filter(entry -> !entry.isEmpty()).map(Path::of).toList();
    }

    private static Source source(DocumentPage page, String pack, DocumentPage.CodeBlock block) {
        String text = block.text();
        String name = "Line" + block.line();
        String head = "package " + pack + "; ";
        Matcher type = TYPE.matcher(text);
        boolean hasType = type.find();
        if (WHOLE_FILE.matcher(text).matches()) {
            String packed = text.stripLeading().startsWith("package") ? "" : head;
            return new Source(page, block.line(), hasType ? type.group(1) : name, packed, text, "");
        }
        String imports = head + IMPORTS.stream().map(imported -> "import " + imported + "; ").collect(Collectors.joining())
            + declared(page, true);
        if (hasType) {
            return new Source(page, block.line(), type.group(1), imports, text, "");
        }
        String begin = imports + "final class " + name + " { " + declared(page, false);
        return MEMBER.matcher(text).matches() ? new Source(page, block.line(), name, begin, text, "}")
            : new Source(page, block.line(), name, begin + "void run() throws Exception { ", text, "} }");
    }

    private static String declared(DocumentPage page, boolean imports) {
        return page.javaDeclarations().stream().filter(line -> line.startsWith("import ") == imports).collect(Collectors.joining(" "));
    }

    /** A block with its generated prefix and suffix. Line numbers are the same as in the page. */
    private static final class Source extends SimpleJavaFileObject {

        private final DocumentPage page;
        private final int line;
        private final String text;

        Source(DocumentPage page, int line, String typeName, String before, String block, String behind) {
            super(URI.create("string:///" + page.name().replaceAll("\\W", "_") + "/" + line + "/" + typeName + ".java"), Kind.SOURCE);
            this.page = page;
            this.line = line;
            text = before + block + behind;
        }

        String place(long sourceLine) {
            return page.name() + ":" + (line + sourceLine - 1);
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
