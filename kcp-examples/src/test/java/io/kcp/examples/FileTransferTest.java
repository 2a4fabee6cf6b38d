package io.kcp.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.test.FreePort;
import io.kcp.testkit.LossyLinkHandler;
import io.kcp.tools.command.Launcher;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FileTransferTest {

    private static final KcpConfig CONFIG = KcpConfig.fast3().toBuilder().windows(256).mode(KcpTransferMode.STREAM).build();

    @TempDir
    private Path temporary;
    private Path outbox;
    private Path inbox;
    private EventLoopGroup group;
    private EventExecutorGroup disk;
    private InetSocketAddress receiver;
    private final List<Channel> servers = new ArrayList<>();
    private final BlockingQueue<TransferReply> ends = new LinkedBlockingQueue<>();
    private final TransferListener listener = new TransferListener() {
        @Override
        public void onBegin(TransferHeader header) {
            assertThat(header.name()).isEqualTo("data.bin");
        }

        @Override
        public void onEnd(TransferReply outcome) {
            ends.add(outcome);
        }
    };

    @BeforeEach
    void start() throws Exception {
        outbox = Files.createDirectory(temporary.resolve("outbox"));
        inbox = Files.createDirectory(temporary.resolve("inbox"));
        group = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());
        disk = new DefaultEventExecutorGroup(2);
        receiver = listen(CONFIG);
    }

    @AfterEach
    void stop() {
        servers.forEach(server -> server.close().awaitUninterruptibly());
        group.shutdownGracefully(0, 1, SECONDS).awaitUninterruptibly();
        disk.shutdownGracefully(0, 1, SECONDS).awaitUninterruptibly();
    }

    @ParameterizedTest
    @CsvSource({"0, STREAM", "1, STREAM", "5000000, STREAM", "0, MESSAGE", "1, MESSAGE", "5000000, MESSAGE"})
    void filesOfAnySizeArrive(int size, KcpTransferMode mode) throws Exception {
        Path file = file("data.bin", size);
        KcpConfig config = CONFIG.toBuilder().mode(mode).build();

        assertThat(FileSender.send(client(config), receiver, config, file, "data.bin", quiet()))
            .isEqualTo(new TransferReply(true, "data.bin"));
        assertThat(ends.poll(30, SECONDS)).isEqualTo(new TransferReply(true, "data.bin"));
        assertThat(inbox.resolve("data.bin")).hasSameBinaryContentAs(file);
        assertThat(names(inbox)).containsExactly("data.bin");
    }

    @Test
    void fileArrivesOverLossyLink() throws Exception {
        Path file = file("data.bin", 1_000_000);
        LossyLinkHandler link = new LossyLinkHandler(new LinkConditions(10, 5, 5, 2, 1).profile(), 11);
        TransferReply reply = FileSender.send(client(CONFIG).datagramHandler(link), receiver, CONFIG, file, "data.bin", quiet());
        assertThat(reply.accepted()).isTrue();
        assertThat(link.outboundCounts().lost()).isPositive();
        assertThat(inbox.resolve("data.bin")).hasSameBinaryContentAs(file);
    }

    @Test
    void fileArrivesWithSmallestDatagramsAndWindows() throws Exception {
        KcpConfig tiny = CONFIG.toBuilder().mode(KcpTransferMode.MESSAGE).mtuBytes(50).windows(8).build();
        Path file = file("data.bin", 20_000);
        assertThat(FileSender.send(client(tiny), listen(tiny), tiny, file, "data.bin", quiet()).accepted()).isTrue();
        assertThat(inbox.resolve("data.bin")).hasSameBinaryContentAs(file);
    }

    @ParameterizedTest
    @ValueSource(strings = {"../evil", "..", ".", "a/b", "a\\b", "/evil", "C:evil", "evil\n"})
    void pathAsFileNameIsRejected(String name) throws Exception {
        TransferReply reply = FileSender.send(client(CONFIG), receiver, CONFIG, file("data.bin", 100), name, quiet());
        assertThat(reply.accepted()).isFalse();
        assertThat(reply.text()).contains("is not a plain file name", "--name").doesNotContain("\n");
        assertThat(names(inbox)).isEmpty();
        assertThat(names(temporary)).containsExactlyInAnyOrder("inbox", "outbox");
    }

    @Test
    void existingFileIsNotOverwritten() throws Exception {
        Files.writeString(inbox.resolve("data.bin"), "precious");
        // Large enough that the refusal arrives while the file is still being sent.
        TransferReply reply = FileSender.send(client(CONFIG), receiver, CONFIG, file("data.bin", 5_000_000), "data.bin", quiet());
        assertThat(reply.accepted()).isFalse();
        assertThat(reply.text()).contains("'data.bin' already exists at the receiver", "--name");
        assertThat(inbox.resolve("data.bin")).hasContent("precious");
        assertThat(names(inbox)).containsExactly("data.bin");
    }

    @Test
    void fileCreatedDuringTheTransferIsNotOverwritten() throws Exception {
        IncomingFile incoming = IncomingFile.create(inbox, new TransferHeader("data.bin", 0));
        Files.writeString(inbox.resolve("data.bin"), "precious");
        assertThatThrownBy(() -> incoming.commit(Sha256.newDigest().digest())).hasMessageContaining("already exists at the receiver");
        incoming.discard();
        assertThat(inbox.resolve("data.bin")).hasContent("precious");
        assertThat(names(inbox)).containsExactly("data.bin");
    }

    @Test
    void fileLargerThanTheDiskIsRefusedImmediately() {
        assertThatThrownBy(() -> IncomingFile.create(inbox, new TransferHeader("huge.bin", Long.MAX_VALUE)))
            .isInstanceOf(IOException.class).hasMessageContainingAll("not enough disk space at the receiver for 'huge.bin'", "--dir");
        assertThat(inbox).isEmptyDirectory();
    }

    @Test
    void fileWithAWrongHashIsRefused() throws Exception {
        TransferReply reply = answerTo(new TransferHeader("data.bin", 10), Unpooled.wrappedBuffer(new byte[10 + Sha256.BYTES]));
        assertThat(reply.accepted()).isFalse();
        assertThat(reply.text()).contains("'data.bin' is corrupted");
        assertThat(names(inbox)).isEmpty();
    }

    @Test
    void invalidTransferHeaderIsRefused() throws Exception {
        ByteBuf request = Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", UTF_8);
        CompletableFuture<TransferReply> answer = new CompletableFuture<>();
        KcpChannel session = connect(receiver, answer);
        session.writeAndFlush(request);
        assertThat(answer.get(30, SECONDS).text()).contains("not a file transfer");
        assertThat(names(inbox)).isEmpty();
        session.close().sync();
    }

    @Test
    void incompleteTransferIsDeleted() throws Exception {
        InetSocketAddress impatient = listen(CONFIG.toBuilder().deadPeerTimeoutMs(1000).build());
        KcpChannel session = connect(impatient, new CompletableFuture<>());
        session.write(new TransferHeader("data.bin", 1000).encode(session.alloc()));
        session.writeAndFlush(Unpooled.wrappedBuffer(new byte[400]));
        session.acknowledged().sync();
        session.close().sync();

        TransferReply end = ends.poll(30, SECONDS);
        assertThat(end.accepted()).isFalse();
        assertThat(end.text()).contains("'data.bin' was not received completely: 400 of 1000 bytes arrived, then: ");
        assertThat(names(inbox)).isEmpty();
    }

    @Test
    void senderErrorWithoutReceiverSuggestsRemedy() throws Exception {
        KcpConfig impatient = CONFIG.toBuilder().deadPeerTimeoutMs(1000).build();
        InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.find());
        Path file = file("data.bin", 1_000_000);
        assertThatThrownBy(() -> FileSender.send(client(impatient), nobody, impatient, file, "data.bin", quiet()))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("was not sent").hasMessageContaining("no valid datagram was received within the dead-peer timeout")
            .hasMessageContaining("is a FileReceiver listening on");
    }

    @Test
    void exitCodeShowsWhetherTheFileArrived() throws Exception {
        String port = Integer.toString(FreePort.find());
        Path file = file("data.bin", 100_000);
        for (int expected : List.of(0, 1)) {
            PipedReader output = new PipedReader();
            PrintWriter out = new PrintWriter(new PipedWriter(output), true);
            CompletableFuture<Integer> received = CompletableFuture.supplyAsync(() -> Launcher.commandLine(new FileReceiver())
                .setOut(out).execute("--port", port, "--dir", inbox.toString(), "--once"));
            assertThat(new BufferedReader(output).readLine()).startsWith("Listening on ");
            assertThat(Launcher.commandLine(new FileSender()).setErr(new PrintWriter(Writer.nullWriter()))
                .execute("--port", port, file.toString())).isEqualTo(expected);
            assertThat(received.get(30, SECONDS)).isEqualTo(expected);
        }
        assertThat(Launcher.commandLine(new FileSender()).setErr(new PrintWriter(Writer.nullWriter()))
            .execute("--port", port, outbox.resolve("missing").toString())).isOne();
        assertThat(inbox.resolve("data.bin")).hasSameBinaryContentAs(file);
    }

    @ParameterizedTest
    @CsvSource({"k, 0", "another, 1"})
    void commandsRequireTheSameKey(String senderKey, int expected) throws Exception {
        String port = Integer.toString(FreePort.find());
        Path file = file("data.bin", 300_000);
        PipedReader output = new PipedReader();
        PrintWriter out = new PrintWriter(new PipedWriter(output), true);
        CompletableFuture<Integer> received = CompletableFuture.supplyAsync(() -> Launcher.commandLine(new FileReceiver())
            .setOut(out).execute("--port", port, "--dir", inbox.toString(), "--once", "--crypt", "aes-128-gcm", "--key", "k",
                "--fec", "10:3"));
        assertThat(new BufferedReader(output).readLine()).startsWith("Listening on ");
        assertThat(Launcher.commandLine(new FileSender()).setErr(new PrintWriter(Writer.nullWriter()))
            .execute("--port", port, "--crypt", "aes-128-gcm", "--key", senderKey, "--timeout", "1", file.toString()))
            .isEqualTo(expected);
        if (expected == 0) {
            assertThat(received.get(30, SECONDS)).isZero();
            assertThat(inbox.resolve("data.bin")).hasSameBinaryContentAs(file);
        } else {
            // The receiver drops the undecryptable datagrams and keeps listening, so a valid transfer must end it.
            assertThat(received).isNotDone();
            assertThat(Launcher.commandLine(new FileSender()).execute("--port", port, "--crypt", "aes-128-gcm", "--key", "k",
                file.toString())).isZero();
            assertThat(received.get(30, SECONDS)).isZero();
        }
    }

    @Test
    void keyAndCipherMustBeGivenTogether() {
        for (String[] options : new String[][] {{"--key", "k"}, {"--crypt", "aes"}, {"--crypt", "rot13", "--key", "k"}}) {
            StringWriter errors = new StringWriter();
            List<String> arguments = new ArrayList<>(List.of(options));
            arguments.add("--once");
            assertThat(Launcher.commandLine(new FileReceiver()).setErr(new PrintWriter(errors, true))
                .execute(arguments.toArray(new String[0]))).isOne();
            assertThat(errors.toString()).containsAnyOf("--crypt aes-128-gcm", "requires --key", "expected: one of");
        }
    }

    private KcpBootstrap client(KcpConfig config) {
        return new KcpBootstrap().group(group).config(config);
    }

    private InetSocketAddress listen(KcpConfig config) throws InterruptedException {
        Channel server = FileReceiver.listen(new KcpServerBootstrap().group(group).config(config), disk,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), config.deadPeerTimeoutMs(), inbox, listener);
        servers.add(server);
        return (InetSocketAddress) server.localAddress();
    }

    private KcpChannel connect(InetSocketAddress address, CompletableFuture<TransferReply> answer) throws InterruptedException {
        return new KcpBootstrap().group(group).config(CONFIG)
            .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                @Override
                protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                    answer.complete(TransferReply.decode(bytes));
                }
            })
            .connect(address).sync().channel();
    }

    private TransferReply answerTo(TransferHeader header, ByteBuf body) throws Exception {
        CompletableFuture<TransferReply> answer = new CompletableFuture<>();
        KcpChannel session = connect(receiver, answer);
        session.write(header.encode(session.alloc()));
        session.writeAndFlush(body);
        try {
            return answer.get(30, SECONDS);
        } finally {
            session.close().sync();
        }
    }

    private Path file(String name, int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return Files.write(outbox.resolve(name), content);
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static ProgressBar quiet() {
        return ProgressBar.builder().setConsumer(new DelegatingProgressBarConsumer(line -> { })).build();
    }
}
