package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.core.KcpTransferMode;
import io.kcp.examples.DocumentPage.CodeBlock;
import io.kcp.test.ChildProcess;
import io.kcp.tools.command.SessionOptions;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/**
 * Tests the clients in other languages that the documents contain. Each is a complete program, which is compiled with all warnings
 * and run against an {@link EchoServer}. The server has the options of the last command before the program on its page that starts a
 * server. The output must equal the next text block, except for numbers.
 */
@Tag("interop")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveDocumentCodeTest {

    /** The languages of the programs. */
    static final Set<String> CHECKED = Set.of("go", "cpp", "csharp");

    private static final Path INTEROP = DocumentPage.ROOT.resolve("src/interop");
    private static final Pattern SERVER = Pattern.compile("-Dmain=EchoServer -Dargs=\"([^\"]*)\"");
    private static final String NUMBER = "\\d+(\\.\\d+)?";

    @TempDir
    private Path folder;

    /** A program, the options of its server, and its expected output. */
    record Program(DocumentPage page, CodeBlock block, String serverOptions, String output) {

        @Override
        public String toString() {
            return page + ":" + block.line() + ", " + block.language();
        }
    }

    /** Parses the server options that a page shows. */
    private static final class Server {

        @Mixin
        private final SessionOptions options = new SessionOptions(KcpTransferMode.MESSAGE, 128);
    }

    static Stream<Program> programs() {
        return DocumentPage.all().flatMap(LiveDocumentCodeTest::programs);
    }

    private static Stream<Program> programs(DocumentPage page) {
        List<CodeBlock> blocks = page.blocks().stream().sorted((one, other) -> one.line() - other.line()).toList();
        return blocks.stream().filter(block -> CHECKED.contains(block.language())).map(block -> {
            String options = null;
            String output = null;
            for (CodeBlock other : blocks) {
                Matcher server = SERVER.matcher(other.text());
                if (other.line() < block.line() && server.find()) {
                    options = server.group(1);
                } else if (other.line() > block.line() && output == null && other.language().equals("text")) {
                    output = other.text();
                }
            }
            if (options == null || output == null) {
                throw new AssertionError(page + ":" + block.line()
                    + ": a program needs a command -Dmain=EchoServer before, and a text after");
            }
            return new Program(page, block, options, output);
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("programs")
    void programCompilesAndPrintsTheOutputOfThePage(Program program) throws Exception {
        List<String> command = switch (program.block().language()) {
            case "go" -> go(program.block().text());
            case "cpp" -> cpp(program.block().text());
            default -> csharp(program.block().text());
        };
        Server server = CommandLine.populateCommand(new Server(), program.serverOptions().split(" "));
        EventLoopGroup group = server.options.newEventLoops();
        try {
            Channel channel = EchoServer.listen(server.options.newServer(group), "127.0.0.1", 0);
            String printed = run(Stream.concat(command.stream(),
                Stream.of("127.0.0.1", Integer.toString(((InetSocketAddress) channel.localAddress()).getPort()))).toList());
            System.out.print(printed.indent(2));
            assertThat(printed.replaceAll(NUMBER, "0")).isEqualTo(program.output().replaceAll(NUMBER, "0"));
            channel.close().sync();
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    @Test
    void everyLanguageHasAProgram() {
        assertThat(programs().map(program -> program.block().language())).containsAll(CHECKED);
    }

    private List<String> go(String text) throws Exception {
        String go = newEnoughGo();
        Files.copy(INTEROP.resolve("go/go.mod"), folder.resolve("go.mod"));
        Files.copy(INTEROP.resolve("go/go.sum"), folder.resolve("go.sum"));
        Files.writeString(folder.resolve("main.go"), text);
        run(List.of(go, "vet", "."));
        run(List.of(go, "build", "-o", "client", "."));
        return List.of(folder.resolve("client").toString());
    }

    private List<String> cpp(String text) throws Exception {
        need("g++");
        Path original = original();
        Files.writeString(folder.resolve("game-client.cpp"), text);
        run(List.of("gcc", "-O2", "-c", original.resolve("ikcp.c").toString(), "-o", "ikcp.o"));
        run(List.of("g++", "-std=c++11", "-O2", "-Wall", "-Wextra", "-Werror", "-I", original.toString(), "-o", "client", "game-client.cpp",
            "ikcp.o"));
        return List.of(folder.resolve("client").toString());
    }

    private List<String> csharp(String text) throws Exception {
        need("mcs");
        need("mono");
        Files.writeString(folder.resolve("GameClient.cs"), text);
        run(List.of("gcc", "-O2", "-shared", "-fPIC", original().resolve("ikcp.c").toString(), "-o", "libkcp.so"));
        run(List.of("mcs", "-warn:4", "-warnaserror", "-out:client.exe", "GameClient.cs"));
        return List.of("mono", folder.resolve("client.exe").toString());
    }

    /** Returns the Go toolchain that built the live peers, because the one on the path may be older than their go.mod requires. */
    private static String newEnoughGo() {
        Path go = INTEROP.resolve("build/go").toAbsolutePath().normalize();
        if (Files.isExecutable(go)) {
            return go.toString();
        }
        need("go");
        return "go";
    }

    private static void need(String tool) {
        assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(path -> Files.isExecutable(Path.of(path, tool))),
            tool + " is missing: src/interop/install.sh installs it where it may");
    }

    /** Returns the folder of the C original, which is part of the Python package of the live peers. */
    private static Path original() throws IOException {
        Path packages = INTEROP.resolve("build/venv/lib");
        assumeTrue(Files.isDirectory(packages), "the C original is missing: src/interop/install.sh installs it");
        try (Stream<Path> files = Files.walk(packages)) {
            return files.filter(file -> file.endsWith("kcp/ikcp.h")).findFirst().orElseThrow().getParent();
        }
    }

    /** Runs a command in the folder, waits for it and returns its output. Fails if the command fails. */
    private String run(List<String> command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("LD_LIBRARY_PATH", folder.toString());
        try (ChildProcess process = ChildProcess.start(builder)) {
            return process.awaitSuccess(120);
        }
    }
}
