package io.kcp.netty.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import io.kcp.core.KcpConfig;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Tests that many virtual threads can block in sockets, on JDKs that have virtual threads. */
@Timeout(300)
@EnabledForJreRange(min = JRE.JAVA_21)
@Tag("alone")
@Tag("jdk")
class VirtualThreadTest {

    private static final int SESSIONS = 10_000;
    private static final int SESSIONS_BEFORE = 50;
    private static final String PINNED = "jdk.VirtualThreadPinned";
    private static final int ROUNDS = 3;
    private static final int MESSAGE_BYTES = 64;
    private static final int SOCKET_BUFFER_BYTES = 65_536;

    @TempDir
    Path directory;

    /** The library and its tests are compiled for Java 17, which has no virtual threads. */
    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    @Test
    void tenThousandEchoSessionsCompleteWithoutPinning() throws Exception {
        assumeTrue(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
            && system.getMaxFileDescriptorCount() > SESSIONS + 1_000, "each session needs a file descriptor");
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());
        ExecutorService threads = virtualThreads();
        Path file = directory.resolve("pinned.jfr");
        try (Recording recording = new Recording()) {
            // Threads that wait for a class to be initialized are pinned, so all classes are loaded before the recording starts.
            echo(group, threads, SESSIONS_BEFORE);
            recording.enable(PINNED).withoutThreshold().withStackTrace();
            recording.start();
            echo(group, threads, SESSIONS);
            recording.stop();
            recording.dump(file);
        } finally {
            threads.shutdownNow();
            Loopback.ended(group.shutdownGracefully(0, Loopback.PATIENCE_S, TimeUnit.SECONDS));
        }
        assertThat(RecordingFile.readAllEvents(file)).noneMatch(event -> event.getEventType().getName().equals(PINNED));
        assertThat(threads.awaitTermination(Loopback.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
    }

    private static void echo(EventLoopGroup group, ExecutorService threads, int sessions) throws Exception {
        // On a busy machine, a session may wait longer than the timeouts until all others are open.
        KcpConfig config = KcpConfig.fast3().toBuilder().deadPeerTimeoutMs(0).build();
        KcpServerBootstrap bootstrap = new KcpServerBootstrap().group(group).config(config)
            .childOption(KcpChannelOption.IDLE_TIMEOUT_MS, 0).maxSessions(2 * SESSIONS).maxUnvalidatedSessions(2 * SESSIONS);
        KcpBootstrap clients = new KcpBootstrap().group(group).config(config)
            .option(KcpChannelOption.IDLE_TIMEOUT_MS, 0).socketBufferBytes(SOCKET_BUFFER_BYTES);
        try (KcpServerSocket server = KcpServerSocket.bind(bootstrap, Loopback.anyPort())) {
            threads.execute(() -> acceptAll(server, threads));
            CountDownLatch allOpen = new CountDownLatch(sessions);
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < sessions; i++) {
                int id = i;
                results.add(threads.submit(() -> echoOf(clients, server, id, allOpen)));
            }
            for (Future<Integer> result : results) {
                assertThat(result.get(4, TimeUnit.MINUTES)).isEqualTo(ROUNDS);
            }
            BlockingPair.closed(server);
        }
    }

    private static void acceptAll(KcpServerSocket server, ExecutorService threads) {
        try {
            while (true) {
                KcpSocket socket = server.accept();
                threads.execute(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The test has closed the server.
        }
    }

    private static void serve(KcpSocket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException closed) {
            // The test has closed the server.
        }
    }

    private static int echoOf(KcpBootstrap clients, KcpServerSocket server, int id, CountDownLatch allOpen) throws Exception {
        try (KcpSocket socket = KcpSocket.connect(clients, server.localAddress())) {
            byte[] message = ByteBuffer.allocate(MESSAGE_BYTES).putInt(id).array();
            int answers = 0;
            for (int round = 0; round < ROUNDS; round++) {
                socket.getOutputStream().write(message);
                assertThat(socket.getInputStream().readNBytes(MESSAGE_BYTES)).isEqualTo(message);
                answers++;
                if (round == 0) {
                    allOpen.countDown();
                    allOpen.await();
                }
            }
            return answers;
        } finally {
            // A session that has failed must not hold the others, whose results would hide why.
            allOpen.countDown();
        }
    }
}
