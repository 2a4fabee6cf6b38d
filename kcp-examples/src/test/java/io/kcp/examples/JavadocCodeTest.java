package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compiles the code examples in the Javadoc of the published modules. */
@Timeout(120)
class JavadocCodeTest {

    private static final String BEGIN = "<pre>{@code";
    private static final String END = "}</pre>";
    /** Imports, and the variables that examples use without declaring them. */
    private static final String DECLARATIONS = """

        <!-- java:
        import io.kcp.netty.blocking.*;
        import io.kcp.netty.packet.PacketCodec;
        import io.kcp.netty.packet.FieldWriter;
        import io.kcp.netty.packet.FlushCoalescer;
        import io.kcp.netty.reconnect.*;
        import io.kcp.netty.registry.*;
        import io.kcp.netty.smux.*;
        import io.kcp.netty.tls.KcpTls;
        import io.kcp.spring.handler.*;
        import io.netty.bootstrap.Bootstrap;
        import io.netty.handler.ssl.SslContext;
        import io.netty.resolver.dns.*;
        import io.netty.util.concurrent.Future;
        import java.security.SecureRandom;
        import java.io.IOException;
        import java.util.concurrent.Executor;
        import java.util.concurrent.atomic.AtomicLong;
        EventLoopGroup group;
        ChannelHandler handler;
        ChannelHandler childHandler;
        CryptoConfig crypto;
        CryptoConfig config;
        byte[] key;
        KcpBootstrap bootstrap;
        KcpServerBootstrap serverBootstrap;
        Channel socket;
        Channel channel;
        Channel parent;
        ChannelPipeline pipeline;
        ChannelHandlerContext context;
        KcpChannel session;
        InetSocketAddress peer;
        int conv;
        Future<Void> unfinishedWork;
        KcpReconnectListener listener;
        KcpSessionRegistry<String, String> registry;
        String userId;
        String room;
        ByteBuf snapshot;
        Executor executor;
        record Conversation(KcpSocket socket) implements Runnable { public void run() { } }
        KcpSocket kcpSocket;
        SslContext sslContext;
        byte[] request;
        byte[] response;
        int type;
        String name;
        float x;
        float y;
        -->
        """;

    @TempDir
    private Path classes;

    static Stream<Path> sourcesWithExamples() {
        return Stream.of("kcp-core", "kcp-streams", "kcp-netty", "kcp-spring-boot-starter").map(module -> DocumentPage.ROOT.resolve(module))
            .flatMap(module -> ShellCommands.sources().filter(file -> file.startsWith(module.resolve("src/main"))))
            .filter(file -> ShellCommands.read(file).contains(BEGIN));
    }

    @Test
    void examplesOfTheBuildersAreFound() {
        assertThat(sourcesWithExamples()).extracting(file -> file.getFileName().toString())
            .contains("KcpHandlerBuilder.java", "KcpServerBootstrap.java", "CryptoConfig.java");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("sourcesWithExamples")
    @Tag("slow")
    void examplesCompileWithoutWarnings(Path source) throws Exception {
        DocumentPage page = page(source);
        assertThat(page.blocks("java")).isNotEmpty();
        assertThat(new JavaBlocks().compile(page, classes)).isEmpty();
    }

    /** Returns a page that has the examples of a source at the same lines. */
    private static DocumentPage page(Path source) {
        List<String> lines = new ArrayList<>();
        boolean example = false;
        for (String line : ShellCommands.read(source).lines().toList()) {
            String text = line.replaceFirst("^ *\\* ?", "");
            if (text.equals(BEGIN) || text.equals(END)) {
                example = text.equals(BEGIN);
                lines.add(example ? "```java" : "```");
            } else {
                lines.add(example ? text : "");
            }
        }
        return DocumentPage.of(DocumentPage.ROOT.relativize(source).toString(), String.join("\n", lines) + DECLARATIONS);
    }
}
