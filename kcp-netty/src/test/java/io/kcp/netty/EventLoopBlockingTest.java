package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.bootstrap.KcpTransport;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.blockhound.BlockHound;

/** Checks that no blocking method is called on an event loop while sessions open, transfer data, collect statistics and close. */
@Tag("blockhound")
@EnabledForJreRange(max = JRE.JAVA_21, disabledReason = "This version of BlockHound has not been tried with later versions of Java")
@Timeout(120)
class EventLoopBlockingTest {

    private static final Queue<String> BLOCKING = new ConcurrentLinkedQueue<>();
    private static final int CALLERS = 25;
    private static final int SESSIONS = 20;
    private static final int MESSAGES = 50;

    @BeforeAll
    static void instrument() {
        BlockHound.builder().loadIntegrations().blockingMethodCallback(method -> BLOCKING.add(method + " called by " + callers()))
            // SecureRandom reads /dev/urandom, which does not block after the system has started.
            .allowBlockingCallsInside("sun.security.provider.NativePRNG$RandomIO", "readFully")
            .allowBlockingCallsInside("sun.security.provider.NativePRNG$RandomIO", "ensureBufferValid")
            // The JDK reads its network settings from a file when the first socket is created.
            .allowBlockingCallsInside("sun.net.NetProperties", "loadDefaultProperties")
            // The queue of the test may wait for the thread of the test.
            .allowBlockingCallsInside("io.kcp.netty.MessageCollector", "channelRead0")
            .install();
    }

    private static String callers() {
        return StackWalker.getInstance().walk(frames -> frames.map(StackWalker.StackFrame::toString)
            .filter(frame -> !frame.contains("blockhound") && !frame.contains("EventLoopBlockingTest")).limit(CALLERS)
            .collect(Collectors.joining("\n    ")));
    }

    /** Verifies that BlockHound works, because {@link #sessionsNeverBlockAnEventLoop} would otherwise succeed without checking anything. */
    @Test
    void blockingCallIsDetected() throws Exception {
        BLOCKING.clear();
        try (Loopback loopback = new Loopback(KcpTransport.NIO, 1)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE));
            Loopback.ended(server.datagramChannels().get(0).eventLoop().submit(() -> {
                new Object().wait(1);
                return null;
            }));
        }
        assertThat(BLOCKING).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL"})
    @Tag("slow")
    void sessionsNeverBlockAnEventLoop(KcpTransport transport) throws Exception {
        BLOCKING.clear();
        CryptoConfig crypto = CryptoConfig.kcptun("aes-128-gcm", "k");
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE).crypto(crypto).fec(FecConfig.of(4, 2)));
            for (int i = 0; i < SESSIONS; i++) {
                MessageCollector answers = new MessageCollector();
                KcpChannel client = loopback.connect(
                    loopback.client(answers).crypto(crypto).fec(FecConfig.of(4, 2)), server.localAddress());
                for (int message = 0; message < MESSAGES; message++) {
                    client.write(client.alloc().buffer().writeZero(1 + message * 40));
                }
                client.flush();
                answers.next(MESSAGES);
                Loopback.result(client.collectStats());
                Loopback.done(client.close());
            }
            Loopback.result(server.collectStats());
        }
        assertThat(BLOCKING).isEmpty();
    }
}
