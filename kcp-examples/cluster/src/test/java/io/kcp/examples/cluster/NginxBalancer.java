package io.kcp.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.examples.arena.Tool;
import io.kcp.test.ChildProcess;
import io.kcp.test.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Nginx as a UDP load balancer on a free port of the loopback interface, with the settings of the guide. */
final class NginxBalancer implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);

    private final int port;
    private final ChildProcess process;

    private NginxBalancer(int port, ChildProcess process) {
        this.port = port;
        this.process = process;
    }

    /** Starts nginx in front of three gateways, or skips the test if nginx is not installed. */
    static NginxBalancer start(Path directory, List<InetSocketAddress> gateways, int sessionsPerGateway) throws IOException {
        int port = FreePort.find();
        Path settings = Tool.settings("nginx.conf", directory, Map.of("MODULES", Tool.findNginxModules(),
            "DIRECTORY", directory.toString(), "LISTEN", "127.0.0.1:" + port, "GATEWAY1", text(gateways.get(0)),
            "GATEWAY2", text(gateways.get(1)), "GATEWAY3", text(gateways.get(2)),
            "SESSIONS", Integer.toString(sessionsPerGateway)));
        ChildProcess process = ChildProcess.startBounded(
            List.of(Tool.find("nginx"), "-p", directory.toString(), "-c", settings.toString(), "-e", "stderr"));
        NginxBalancer balancer = new NginxBalancer(port, process);
        await("nginx has started").atMost(START).ignoreExceptions()
            .untilAsserted(() -> assertThat(directory.resolve("nginx.pid")).as(process.output()).isNotEmptyFile());
        return balancer;
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ':' + address.getPort();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Returns the output of nginx. */
    String output() {
        return process.output();
    }

    @Override
    public void close() {
        process.close();
    }
}
