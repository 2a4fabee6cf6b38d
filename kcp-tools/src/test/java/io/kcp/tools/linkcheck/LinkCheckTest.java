package io.kcp.tools.linkcheck;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpStats;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.test.FreePort;
import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.LossModel;
import io.kcp.testkit.LossyRelay;
import io.kcp.tools.command.Launcher;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

@Timeout(120)
class LinkCheckTest {

    private static final KcpConfig SERVER = KcpConfig.fast3().toBuilder().congestionControl(CongestionAlgorithm.BBR).windows(1_024).build();
    private static final LinkProfile LINK = LinkProfile.builder().rateBitsPerSecond(10_000_000).framingBytes(28).queueBytes(100_000)
        .delayMs(15).build();
    private static final LinkProfile LOSSY_LINK = LINK.toBuilder().loss(seed -> LossModel.everyNth(20)).build();

    /** Rates are printed with one decimal. */
    private static final double ROUNDING = 0.05;

    private static final EventLoopGroup LOOPS = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());

    @TempDir
    private Path temporary;
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @AfterAll
    static void stop() {
        LOOPS.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private int run(int port, String... arguments) {
        List<String> all = new ArrayList<>(List.of("--port", Integer.toString(port), "--picture", picture().toString()));
        all.addAll(List.of(arguments));
        return Launcher.commandLine(new LinkCheck()).setOut(new PrintWriter(output, true)).setErr(new PrintWriter(errors, true))
            .execute(all.toArray(String[]::new));
    }

    private Path picture() {
        return temporary.resolve("new").resolve("link.svg");
    }

    private double number(String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(output.toString());
        assertThat(matcher.find()).as("%s in%n%s%s", pattern, output, errors).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    /** A regular loss is measured exactly with any number of datagrams. On a busy machine, messages share few datagrams. */
    private void runOverRelay(InetSocketAddress server, LinkProfile link, String... arguments) {
        try (LossyRelay relay = LossyRelay.start(server, link, 3)) {
            assertThat(run(relay.address().getPort(), arguments)).as("%s", errors).isZero();
        }
    }

    /**
     * Compares the rates with the bytes that the server has counted, because the rate of a busy computer is not known. The rates are means
     * of at least three eighths of the measurement, to which most of the bytes belong.
     */
    private void checkCommonResults(Channel server, int seconds) throws Exception {
        assertThat(number("shortest ([\\d.]+) ms")).as("%s", output).isBetween(30.0, number("shortest [\\d.]+ ms, median ([\\d.]+) ms"));
        KcpStats counted = ((KcpServerChannel) server).collectStats().get().sessions();
        checkRate(number("rate +([\\d.]+) Mbit/s to the server"), 10.0, counted.bytesReceived(), seconds);
        checkRate(number("Mbit/s to the server, ([\\d.]+) Mbit/s back"), 10.5, counted.bytesSent(), seconds);
        assertThat(number("largest datagram +(\\d+) bytes")).isEqualTo(1_500);
    }

    private void checkRate(double megabits, double maxMegabits, long countedBytes, int seconds) {
        assertThat(megabits).as("%s", output).isLessThanOrEqualTo(maxMegabits);
        double bytesPerMegabit = 1e6 / 8 * seconds * 3 / 8;
        assertThat((megabits - ROUNDING) * bytesPerMegabit).as("%s", output).isLessThan(1.05 * countedBytes);
        assertThat((megabits + ROUNDING) * bytesPerMegabit).as("%s", output).isGreaterThan(0.2 * countedBytes);
    }

    @Test
    @Tag("slow")
    void linkWithoutLossIsMeasured() throws Exception {
        Channel server = EchoCommand.listen(new KcpServerBootstrap().group(LOOPS).config(SERVER), "127.0.0.1", 0,
            new PrintWriter(errors, true));
        runOverRelay((InetSocketAddress) server.localAddress(), LINK, "--seconds", "8");
        checkCommonResults(server, 8);
        assertThat(number("loss +([\\d.]+) % to the server")).isZero();
        assertThat(number("to the server, ([\\d.]+) % from the server")).isZero();
        assertThat(output.toString()).containsPattern("small messages +KcpConfig\\.fast3\\(\\)\\R").contains("no redundancy: 0.0 %")
            .containsPattern("FEC +none").containsPattern("windows +\\d{2,} segments to send, \\d{3,} to receive")
            .containsPattern("\\[=.*] +\\d/8 s").contains("Picture: " + picture().toUri());
        Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(picture().toFile());
        assertThat(svg.getElementsByTagName("polyline").getLength()).as("lines").isEqualTo(5);
        assertThat(Files.readString(picture())).doesNotContain("NaN", "Infinity");
        server.close().sync();
    }

    @Test
    void pathThatLosesLargeDatagramsGetsASmallerMtu() throws Exception {
        Channel server = EchoCommand.listen(new KcpServerBootstrap().group(LOOPS).config(SERVER), "127.0.0.1", 0,
            new PrintWriter(errors, true));
        try (LossyRelay relay = LossyRelay.start((InetSocketAddress) server.localAddress(), LINK.toBuilder().mtuBytes(1_300).build(), 3)) {
            assertThat(run(relay.address().getPort(), "--seconds", "10")).as("%s", errors).isZero();
        }
        assertThat(number("largest datagram +(\\d+) bytes")).isEqualTo(1_280);
        assertThat(output.toString()).contains(".mtuBytes(1280).build()", "datagrams above 1280 bytes do not reach the server");
        server.close().sync();
    }

    @Test
    @Tag("slow")
    void lossOfTheLinkIsMeasuredAndRedundancyIsRecommended() throws Exception {
        Channel server = EchoCommand.listen(new KcpServerBootstrap().group(LOOPS).config(SERVER), "127.0.0.1", 0,
            new PrintWriter(errors, true));
        runOverRelay((InetSocketAddress) server.localAddress(), LOSSY_LINK, "--seconds", "15");
        checkCommonResults(server, 15);
        checkLossOfFivePercent();
        server.close().sync();
    }

    /** The limits are those of sixty datagrams, of which two to four are lost. */
    private void checkLossWithoutLoad() {
        assertThat(number("loss +([\\d.]+) % to the server")).as("%s", output).isBetween(2.0, 9.0);
        assertThat(number("to the server, ([\\d.]+) % from the server")).as("%s", output).isBetween(0.5, 12.0);
    }

    private void checkLossOfFivePercent() {
        checkLossWithoutLoad();
        assertThat(number("([\\d.]+) % lost from the server")).as("under load%n%s", output).isBetween(3.5, 9.0);
        assertThat(output.toString()).contains("What KcpConfig.auto() chooses on this link",
            "KcpConfig.fast3().toBuilder().redundancy(Redundancy.ON).build()",
            "congestionControl(CongestionAlgorithm.BBR)");
    }

    @Test
    void closedPortIsReported() throws Exception {
        int port = FreePort.find();
        assertThat(run(port, "--timeout", "1")).isOne();
        assertThat(errors.toString()).contains("link-check: No program listens on UDP port 127.0.0.1:" + port,
            "Start kcp echo-server there");
    }

    @Test
    void wrongKeyIsReportedAsAPossibleCause() throws Exception {
        Channel server = EchoCommand.listen(new KcpServerBootstrap().group(LOOPS).config(SERVER)
            .crypto(CryptoConfig.kcptun("aes-128-gcm", "secret")), "127.0.0.1", 0, new PrintWriter(errors, true));
        assertThat(run(((InetSocketAddress) server.localAddress()).getPort(), "--timeout", "1", "--crypt", "aes-128-gcm", "--key", "other"))
            .isOne();
        assertThat(errors.toString()).contains("No response from 127.0.0.1:", "whether --crypt and --key are those of the server");
        server.close().sync();
    }

    @Test
    void serverThatDoesNotEchoIsReported() throws Exception {
        assertThat(runAgainst(new Discard(), "--timeout", "1")).isOne();
        assertThat(errors.toString()).contains("acknowledges messages but does not send them back");
    }

    @Test
    void serverThatSendsOtherDataIsReported() throws Exception {
        assertThat(runAgainst(new Greeting(), "--timeout", "5")).isOne();
        assertThat(errors.toString()).contains("it is not an echo server");
    }

    @Test
    void invalidValueIsRejectedWithAMessage() {
        assertThat(run(9, "--seconds", "4")).isOne();
        assertThat(errors.toString()).contains("--seconds: 4 (expected: at least 5)");
    }

    private int runAgainst(ChannelHandler handler, String... arguments) throws InterruptedException {
        Channel server = new KcpServerBootstrap().group(LOOPS).config(SERVER).childHandler(handler).bind("127.0.0.1", 0).sync()
            .channel();
        try {
            return run(((InetSocketAddress) server.localAddress()).getPort(), arguments);
        } finally {
            server.close().sync();
        }
    }

    @ChannelHandler.Sharable
    private static final class Discard extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            // Consumes the message without a response.
        }
    }

    @ChannelHandler.Sharable
    private static final class Greeting extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            context.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {72, 105, 33}));
        }
    }
}
