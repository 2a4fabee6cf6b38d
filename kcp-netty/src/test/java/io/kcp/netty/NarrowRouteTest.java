package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.test.ChildProcess;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollDatagramChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Tests a real route that refuses GSO batches, because its MTU is smaller than a datagram. A loopback device with such an MTU requires a
 * separate network namespace, so the transfer runs in a child process.
 */
@Timeout(90)
@EnabledOnOs(OS.LINUX)
@Tag("jdk")
class NarrowRouteTest {

    private static final int MESSAGES = 300;
    private static final String MESSAGE = "m".repeat(1_300);
    private static final String DONE = "runs, refused: ";

    @Test
    @Tag("slow")
    void refusedRunsAreSentAsSingleDatagramsWithoutLoss() throws Exception {
        String[] counts = transfer("ip link set lo mtu 1000 up");
        assertThat(Integer.parseInt(counts[0])).as("runs").isPositive();
        assertThat(counts[1]).as("refused, all that were tried").isEqualTo(counts[0]);
    }

    /** A forged ICMP message has the same effect as the MTU of the route. */
    @Test
    void smallRouteMtuDoesNotDisableGso() throws Exception {
        String[] counts = transfer("ip link set lo up"
            + " && ip route replace local 127.0.0.1 dev lo table local scope host src 127.0.0.1 mtu 1000");
        assertThat(Integer.parseInt(counts[0])).as("runs").isPositive();
        assertThat(counts[1]).as("refused").isEqualTo("0");
    }

    /** Runs a transfer in a network namespace with these settings. Returns the numbers of GSO batches and of refused GSO batches. */
    private static String[] transfer(String settings) throws Exception {
        assumeTrue(KcpTransport.EPOLL.isAvailable() && EpollDatagramChannel.isSegmentedDatagramPacketSupported(),
            "this kernel has no UDP GSO");
        return resultOf(NarrowRouteTest.class, settings, DONE);
    }

    /** Runs a program in a network namespace with these settings. Returns the words that the program prints after {@code marker}. */
    static String[] resultOf(Class<?> program, String settings, String marker) throws IOException, InterruptedException {
        assumeTrue(canUnshare(), "no network namespace of its own can be made here");
        String output;
        List<String> command = new ArrayList<>(List.of("unshare", "-rn", "sh", "-c", settings + " && exec \"$0\" \"$@\"",
            ChildProcess.javaLauncher(), "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        command.addAll(ChildProcess.checked(program));
        try (ChildProcess process = ChildProcess.start(command)) {
            process.exitCode(60);
            output = process.output();
        }
        assertThat(output).contains(marker);
        return output.substring(output.indexOf(marker) + marker.length()).strip().split("\\s+");
    }

    private static boolean canUnshare() throws InterruptedException {
        try {
            return new ProcessBuilder("unshare", "-rn", "ip", "link", "set", "lo", "mtu", "1000", "up")
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        }
    }

    /**
     * Runs the child process, in which one session sends a burst.
     *
     * @param arguments none
     * @throws InterruptedException never
     */
    public static void main(String[] arguments) throws InterruptedException {
        MessageCollector received = new MessageCollector();
        try (Loopback loopback = new Loopback(KcpTransport.EPOLL, 1)) {
            KcpConfig config = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.MESSAGE).windows(1_024).build();
            KcpServerChannel server = loopback.bind(loopback.server(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(received);
                }
            }).childOption(KcpChannelOption.KCP_CONFIG, config));
            KcpChannel client = loopback.connect(
                loopback.client(new MessageCollector()).option(KcpChannelOption.KCP_CONFIG, config), server.localAddress());
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                expected.add(MESSAGE + i);
                client.write(client.alloc().buffer().writeBytes((MESSAGE + i).getBytes(StandardCharsets.ISO_8859_1)));
            }
            client.flush();
            if (!received.next(MESSAGES).equals(expected)) {
                throw new AssertionError("not what was sent");
            }
            KcpListenerStats stats = Loopback.result(client.datagramChannel().pipeline().get(KcpHandler.class).collectStats());
            await().atMost(Duration.ofSeconds(Loopback.PATIENCE_S))
                .untilAsserted(() -> assertThat(lostSegments(client, server)).as("lost segments").isZero());
            System.out.println(DONE + stats.sentRuns() + " " + stats.refusedRuns());
        }
    }

    /**
     * Returns the number of retransmissions that did not reach the server as duplicates, which means that the first copy was lost. A busy
     * machine retransmits segments whose acknowledgement is late; these duplicates may still be on their way to the server.
     */
    private static long lostSegments(KcpChannel client, KcpServerChannel server) {
        KcpListenerStats stats = Loopback.result(client.datagramChannel().pipeline().get(KcpHandler.class).collectStats());
        return stats.sessions().retransmissions() - Loopback.result(server.collectStats()).sessions().repeatedSegments();
    }
}
