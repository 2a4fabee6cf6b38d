package io.kcp.netty.internal.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.DropReason;
import io.kcp.netty.EchoHandler;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.Loopback;
import io.kcp.netty.RecordedLog;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.WireSegment;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.admission.SetupFailures;
import io.kcp.netty.internal.handler.OpeningPromise;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Invalid child handlers and options are rejected by bind. Those that bind cannot detect fail cheaply for each session. */
@Timeout(60)
class SessionSetupTest {

    private static final int OPENERS = 2_000;
    private static final InetSocketAddress PEER = new InetSocketAddress("10.0.0.3", 5_000);

    private final Logger logger = Logger.getLogger("io");
    private final RecordedLog log = new RecordedLog("io");

    @BeforeEach
    void hideWarnings() {
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void showWarnings() {
        log.close();
        logger.setUseParentHandlers(true);
    }

    private List<LogRecord> warnings() {
        return log.records().stream().filter(logged -> logged.getLevel().intValue() >= Level.WARNING.intValue()).toList();
    }

    private static void assertBindRefuses(KcpServerBootstrap server, String parameter) {
        assertThatThrownBy(() -> server.bind(Loopback.anyPort())).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(parameter);
    }

    @Test
    void bindRejectsANonSharableHandler() {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            assertBindRefuses(loopback.server(new ChannelInboundHandlerAdapter()), "childHandler");
        }
    }

    @Test
    void bindRejectsInvalidChildOptions() {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpConfig small = KcpConfig.fast().toBuilder().mtuBytes(KcpConfig.MIN_MTU_BYTES + 10).build();
            assertBindRefuses(loopback.server(EchoHandler.INSTANCE).config(small).fec(FecConfig.of(10, 3))
                .crypto(CryptoConfig.kcptun("aes-128-gcm", "long enough")), "mtuBytes");
            assertBindRefuses(loopback.server(EchoHandler.INSTANCE).childOption(KcpChannelOption.MTU_BYTES, 1), "mtuBytes: 1");
            assertBindRefuses(loopback.server(EchoHandler.INSTANCE).childOption(KcpChannelOption.IDLE_TIMEOUT_MS, -1),
                "IDLE_TIMEOUT_MS: -1");
        }
    }

    @Test
    void bootstrapSettingsDoNotDependOnTheirOrder() {
        KcpServerBootstrap server = new KcpServerBootstrap().childOption(KcpChannelOption.MTU_BYTES, 1_111)
            .config(KcpConfig.fast3());
        assertThat(server.config()).hasToString(KcpConfig.fast3().toBuilder().mtuBytes(1_111).build().toString());
    }

    private static void open(EmbeddedLink link, int firstConv, int count) {
        for (int conv = firstConv; conv < firstConv + count; conv++) {
            link.server().receive(PEER, WireSegment.push(conv, 0, 0, "x"));
        }
    }

    @Test
    void throwingInitializerIsCountedWithoutFloodingTheLog() {
        boolean[] broken = {true};
        SessionRecorder[] last = new SessionRecorder[1];
        try (EmbeddedLink link = EmbeddedLink.create(() -> {
            if (broken[0]) {
                throw new IllegalStateException("initializer, thrown by the test");
            }
            last[0] = new SessionRecorder();
            return last[0];
        })) {
            open(link, 1, OPENERS);
            assertThat(link.server().dropped(DropReason.SETUP_FAILED)).isEqualTo(OPENERS);
            assertThat(link.server().stats().activeSessions()).isZero();
            assertThat(warnings()).hasSize(SetupFailures.FAILURES_IN_A_ROW + 1);
            link.advanceMs(SetupFailures.RETRY_MS);
            open(link, OPENERS, 10);
            assertThat(warnings()).as("one more attempt").hasSize(SetupFailures.FAILURES_IN_A_ROW + 2);
            broken[0] = false;
            link.advanceMs(SetupFailures.RETRY_MS);
            open(link, 2 * OPENERS, 10);
            assertThat(link.server().stats().activeSessions()).as("mended").isEqualTo(10);
            assertThat(last[0].messages()).containsExactly("x");
        }
    }

    @Test
    void initializerMayRejectSessionsByClosingThem() {
        boolean[] refusing = {true};
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder() {
            @Override
            public void handlerAdded(ChannelHandlerContext ctx) {
                super.handlerAdded(ctx);
                if (refusing[0]) {
                    ctx.close();
                }
            }
        })) {
            open(link, 1, 100);
            assertThat(link.server().dropped(DropReason.SETUP_FAILED)).isEqualTo(100);
            refusing[0] = false;
            open(link, 200, 1);
            assertThat(link.server().stats().activeSessions()).isEqualTo(1);
            assertThat(warnings()).isEmpty();
        }
    }

    @Test
    void rejectedOptionIsCountedWithoutFloodingTheLog() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.LINGER_MS, -1),
            SessionRecorder::new)) {
            open(link, 1, OPENERS);
            assertThat(link.server().dropped(DropReason.SETUP_FAILED)).isEqualTo(OPENERS);
            assertThat(warnings()).hasSize(SetupFailures.FAILURES_IN_A_ROW + 1);
        }
    }

    /** An application's option whose validation throws an error, like a missing class or a failed assertion does. */
    private static final class FailingOption extends ChannelOption<Integer> {

        private final Supplier<Error> failure;

        @SuppressWarnings("deprecation") // the only constructor for options with their own validation
        FailingOption(Supplier<Error> failure) {
            super("FAILING_" + UUID.randomUUID());
            this.failure = failure;
        }

        @Override
        public void validate(Integer value) {
            throw failure.get();
        }
    }

    static Stream<Error> errorsOfApplications() {
        return Stream.of(new NoClassDefFoundError("thrown by the test"), new ExceptionInInitializerError("thrown by the test"),
            new AssertionError("thrown by the test"), new Error("thrown by the test"));
    }

    @ParameterizedTest
    @MethodSource("errorsOfApplications")
    void optionErrorIsCountedAndFreesTheSessionSlot(Error error) {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(new FailingOption(() -> error), 1),
            SessionRecorder::new)) {
            open(link, 1, 100);
            assertThat(link.server().dropped(DropReason.SETUP_FAILED)).isEqualTo(100);
            assertThat(link.server().counts().sessions()).isZero();
            assertThat(link.server().counts().addresses()).isZero();
            assertThat(warnings()).hasSize(SetupFailures.FAILURES_IN_A_ROW + 1);
        }
    }

    @ParameterizedTest
    @MethodSource("errorsOfApplications")
    void initializerErrorIsCountedAndFreesTheSessionSlot(Error error) {
        try (EmbeddedLink link = EmbeddedLink.create(() -> {
            throw error;
        })) {
            open(link, 1, 100);
            assertThat(link.server().dropped(DropReason.SETUP_FAILED)).isEqualTo(100);
            assertThat(link.server().counts().sessions()).isZero();
            assertThat(link.server().stats().activeSessions()).isZero();
            assertThat(warnings()).hasSize(SetupFailures.FAILURES_IN_A_ROW + 1);
        }
    }

    @ParameterizedTest
    @MethodSource("errorsOfApplications")
    void optionErrorFailsTheConnectFuture(Error error) {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            DefaultKcpChannel session = link.client().handler().newSession(link.client().channel(), 7);
            session.setRemoteAddress(EmbeddedLink.SERVER_ADDRESS);
            OpeningPromise<KcpChannel> promise = OpeningPromise.ofSession(session, link.client().channel().eventLoop());
            link.client().handler().open(session, new SessionRecorder(), Map.of(new FailingOption(() -> error), 1), Map.of(), promise);
            assertThat(promise.cause()).isSameAs(error);
            assertThat(session.isOpen()).isFalse();
        }
    }

    @Test
    void unknownOptionIsLoggedOnce() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(ChannelOption.TCP_NODELAY, true),
            SessionRecorder::new)) {
            open(link, 1, 20);
            assertThat(link.server().stats().activeSessions()).isEqualTo(20);
            assertThat(warnings()).hasSize(1);
        }
    }

    /** A sharable handler, which bind accepts, that throws while the test requests it. */
    @ChannelHandler.Sharable
    private static final class FailingHandler extends ChannelInboundHandlerAdapter {

        private boolean failing = true;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            if (failing) {
                throw new IllegalStateException("handler, thrown by the test");
            }
        }
    }

    @Test
    void failingHandlerAddedIsCountedWithoutFloodingTheLog() {
        FailingHandler handler = new FailingHandler();
        EmbeddedChannel channel = new EmbeddedChannel(new KcpHandlerBuilder(handler).build());
        for (int conv = 1; conv <= 100; conv++) {
            receive(channel, conv);
        }
        KcpListenerStats stats = channel.pipeline().get(KcpHandler.class).collectStats().getNow();
        assertThat(stats.activeSessions()).isZero();
        assertThat(stats.dropped()).containsEntry(DropReason.SETUP_FAILED, 100L);
        assertThat(warnings()).as("Netty logs each attempt").hasSizeLessThan(3 * SetupFailures.FAILURES_IN_A_ROW);
        channel.advanceTimeBy(SetupFailures.RETRY_MS + 1, TimeUnit.MILLISECONDS);
        handler.failing = false;
        receive(channel, 200);
        assertThat(channel.pipeline().get(KcpHandler.class).collectStats().getNow().activeSessions()).isEqualTo(1);
        channel.finishAndReleaseAll();
    }

    /** A handler that replaces itself with another one. */
    @ChannelHandler.Sharable
    private static final class ReplacedHandler extends ChannelInboundHandlerAdapter {

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            ctx.pipeline().replace(this, "recorder", new SessionRecorder());
        }
    }

    @Test
    void handlerMayReplaceItself() {
        EmbeddedChannel channel = new EmbeddedChannel(new KcpHandlerBuilder(new ReplacedHandler()).build());
        receive(channel, 1);
        assertThat(channel.pipeline().get(KcpHandler.class).collectStats().getNow().activeSessions()).isEqualTo(1);
        channel.finishAndReleaseAll();
    }

    private static void receive(EmbeddedChannel channel, int conv) {
        channel.writeInbound(new DatagramPacket(WireSegment.datagram(channel.alloc(), WireSegment.push(conv, 0, 0, "x")),
            EmbeddedLink.SERVER_ADDRESS, PEER));
    }

    @Test
    void hookErrorsDropTheDatagram() {
        // Disables the limits under load, because a server under load calls the filter only for peers that have proved their addresses.
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.retransmittedOnlyUnderLoad(false).addressProofUnderLoad(false)
            .openingsPerSecondUnderLoad(0).acceptFilter((peer, conv) -> {
            throw conv % 2 == 0 ? new NoClassDefFoundError("filter, thrown by the test") : new AssertionError("filter, thrown by the test");
        }).foreignDatagrams((context, packet) -> {
            throw new NoClassDefFoundError("foreign, thrown by the test");
        }), SessionRecorder::new)) {
            open(link, 1, 100);
            assertThat(link.server().dropped(DropReason.FILTERED)).isEqualTo(100);
            for (int i = 0; i < 100; i++) {
                link.server().receive(PEER, link.text("foreign"));
            }
            assertThat(link.server().dropped(DropReason.NOT_KCP)).isEqualTo(100);
            assertThat(warnings()).as("one for each hook").hasSize(2);
        }
    }
}
