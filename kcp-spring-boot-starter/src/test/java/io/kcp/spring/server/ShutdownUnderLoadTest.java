package io.kcp.spring.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.test.ChildProcess;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sends SIGTERM to a child process that writes to 200 sessions. */
@Timeout(600)
class ShutdownUnderLoadTest {

    private static final int SESSIONS = 200;
    private static final int SIGTERM_EXIT = 128 + 15;
    private static final int PHASE_TIMEOUT_S = 120;
    private static final int PATIENCE_S = 180;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
    private final List<Receiver> receivers = new ArrayList<>();

    /** Counts received messages, which are numbered from 0. Only its event loop changes the count. */
    private static final class Receiver extends SimpleChannelInboundHandler<ByteBuf> {

        private volatile int received;
        private volatile boolean inOrder = true;

        @Override
        @SuppressWarnings("NonAtomicOperationOnVolatileField")
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            inOrder &= message.readInt() == received && message.readableBytes() == FloodApplication.MESSAGE_BYTES - Integer.BYTES;
            received++;
        }
    }

    /** The final state of a session as the server printed it. */
    private record Ended(int accepted, String how) {
    }

    @AfterEach
    void stopLoops() {
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(20, TimeUnit.SECONDS);
    }

    private static void await(String what, BooleanSupplier condition) {
        long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - untilNanos).as("not within " + PATIENCE_S + " s: " + what).isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    private List<KcpChannel> connectAll(int port) {
        List<KcpChannel> sessions = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            Receiver receiver = new Receiver();
            receivers.add(receiver);
            KcpChannel session = new KcpBootstrap().group(loops).config(KcpConfig.fast3()).conv(i + 1)
                .option(KcpChannelOption.LINGER_MS, 0).option(KcpChannelOption.IDLE_TIMEOUT_MS, 0)
                .option(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, 0).handler(receiver).connect("127.0.0.1", port).syncUninterruptibly()
                .channel();
            session.writeAndFlush(session.alloc().buffer().writeByte(1));
            sessions.add(session);
        }
        return sessions;
    }

    /** Starts the application, stops it while all sessions still write, and returns their final states. */
    private Map<Integer, Ended> terminateUnderLoad(ChildProcess server) throws InterruptedException {
        List<KcpChannel> sessions = connectAll(Integer.parseInt(server.await("port ", PATIENCE_S)));
        await("each session has received something", () -> receivers.stream().allMatch(receiver -> receiver.received > 20));
        server.terminate();
        assertThat(server.exitCode(PATIENCE_S)).isEqualTo(SIGTERM_EXIT);
        // The server or Spring logs this if the shutdown phase ended by its timeout.
        assertThat(String.join("\n", server.lines())).doesNotContain("did not finish within", "still running after timeout");
        Map<Integer, Ended> ended = new HashMap<>();
        for (String line : server.lines()) {
            String[] words = line.split(" ", 4);
            if (words[0].equals("session")) {
                ended.put(Integer.parseInt(words[1]), new Ended(Integer.parseInt(words[2]), words[3]));
            }
        }
        assertThat(ended).as("sessions that the server printed").hasSize(SESSIONS);
        // Acknowledged messages may still be queued in the event loop.
        loops.forEach(loop -> loop.submit(() -> { }).awaitUninterruptibly(10, TimeUnit.SECONDS));
        sessions.forEach(session -> session.close().awaitUninterruptibly(10, TimeUnit.SECONDS));
        return ended;
    }

    private static String[] settings(String shutdown) {
        // Slow enough that every session always has tens of kilobytes queued.
        return new String[] {"--kcp.server.port=0", "--kcp.server.address=127.0.0.1", "--kcp.server.max-rate=50KB",
            "--kcp.server.linger=100s", "--kcp.server.dead-peer-timeout=0", "--kcp.server.idle-timeout=0", "--kcp.server.threads=2",
            "--kcp.server.shutdown=" + shutdown,
            "--spring.lifecycle.timeout-per-shutdown-phase=" + PHASE_TIMEOUT_S + "s", "--spring.main.banner-mode=off"};
    }

    private int received(int conv) {
        return receivers.get(conv - 1).received;
    }

    @Test
    @Tag("slow")
    void allAcceptedMessagesAreDeliveredAfterReadinessChange() throws Exception {
        try (ChildProcess server = ChildProcess.java(FloodApplication.class, settings("graceful"))) {
            Map<Integer, Ended> ended = terminateUnderLoad(server);
            assertThat(ended).allSatisfy((conv, session) -> {
                assertThat(session.how).as("session " + conv).isEqualTo("delivered");
                assertThat(received(conv)).as("messages of session " + conv).isEqualTo(session.accepted);
            });
            assertThat(receivers).allMatch(receiver -> receiver.inOrder);
            assertThat(server.lines()).containsSubsequence("readiness ACCEPTING_TRAFFIC", "readiness REFUSING_TRAFFIC", "drain begins",
                "end");
            assertThat(String.join("\n", server.lines())).containsSubsequence("readiness REFUSING_TRAFFIC", "stops accepting sessions",
                "has no more sessions").doesNotContain("did not acknowledge");
        }
    }

    @Test
    void immediateShutdownDoesNotWait() throws Exception {
        try (ChildProcess server = ChildProcess.java(FloodApplication.class, settings("immediate"))) {
            Map<Integer, Ended> ended = terminateUnderLoad(server);
            assertThat(ended.entrySet()).as("sessions with missing messages, which proves the load")
                .filteredOn(session -> received(session.getKey()) < session.getValue().accepted).hasSizeGreaterThan(SESSIONS / 2);
            assertThat(server.lines()).contains("readiness REFUSING_TRAFFIC").doesNotContain("drain begins");
        }
    }
}
