package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.ListeningPorts.Protocol;
import io.kcp.test.ChildProcess;
import io.kcp.testkit.LossyRelay;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Server and client of a tunnel in separate processes, which may be different programs. {@code curl} transfers data through the tunnel. */
final class TunnelProcesses implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final long LINK_SEED = 1;

    private final TunnelProgram server;
    private final TunnelProgram client;
    private final List<String> options;
    private final int targetPort;
    private final int ports;
    private final int firstPort;
    private final int localPort = ListeningPorts.findUnused(1);
    private final @Nullable LossyRelay relay;
    private final List<String> outputs = new ArrayList<>();
    private @Nullable ChildProcess serverProcess;
    private @Nullable ChildProcess clientProcess;

    /** Starts both processes. {@code ports} is the number of the server's UDP ports; a link is possible only with one port. */
    TunnelProcesses(TunnelProgram server, TunnelProgram client, List<String> options, int targetPort, int ports,
        @Nullable LinkConditions link) throws IOException {
        this.server = server;
        this.client = client;
        this.options = options;
        this.targetPort = targetPort;
        this.ports = ports;
        firstPort = ListeningPorts.findUnused(ports);
        relay = link == null ? null
            : LossyRelay.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), firstPort), link.profile(), LINK_SEED);
        try {
            startServer();
            startClient();
        } catch (Throwable failed) {
            close();
            throw failed;
        }
    }

    void startServer() throws IOException {
        List<String> command = new ArrayList<>(server.command(true));
        command.addAll(List.of("--listen", HOST + ':' + portRange(firstPort), "--target", HOST + ':' + targetPort));
        command.addAll(options);
        serverProcess = ChildProcess.start(command);
        ListeningPorts.awaitPort(Protocol.UDP, firstPort + ports - 1, true, serverProcess);
    }

    void startClient() throws IOException {
        List<String> command = new ArrayList<>(client.command(false));
        String remotePorts = relay == null ? portRange(firstPort) : Integer.toString(relay.address().getPort());
        command.addAll(List.of("--localaddr", HOST + ':' + localPort, "--remoteaddr", HOST + ':' + remotePorts));
        if (ports > 1) {
            command.addAll(List.of("--conn", Integer.toString(ports)));
        }
        command.addAll(options);
        clientProcess = ChildProcess.start(command);
        ListeningPorts.awaitPort(Protocol.TCP, localPort, true, clientProcess);
    }

    private String portRange(int first) {
        return ports == 1 ? Integer.toString(first) : first + "-" + (first + ports - 1);
    }

    /** Kills the server process without a chance to notify the client. */
    void killServer() {
        if (serverProcess != null) {
            outputs.add("server: " + serverProcess.output());
            serverProcess.close();
            ListeningPorts.awaitPort(Protocol.UDP, firstPort, false, serverProcess);
            serverProcess = null;
        }
    }

    /** Kills the client process without a chance to notify the server. */
    void killClient() {
        if (clientProcess != null) {
            outputs.add("client: " + clientProcess.output());
            clientProcess.close();
            ListeningPorts.awaitPort(Protocol.TCP, localPort, false, clientProcess);
            clientProcess = null;
        }
    }

    /** Fetches {@code count} parts of the content at the same time and compares their SHA-256 digests. */
    void fetch(int count, int bytes, Path directory, int limitSeconds) throws IOException, InterruptedException {
        int step = count == 1 ? 0 : (TunnelTarget.CONTENT_BYTES - bytes) / (count - 1);
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "--fail", "--max-time", Integer.toString(limitSeconds), "--parallel",
            "--parallel-immediate", "--parallel-max", Integer.toString(count)));
        for (int i = 0; i < count; i++) {
            command.addAll(List.of("-o", file(directory, i).toString(), url(i * step, bytes)));
        }
        run(command, limitSeconds);
        for (int i = 0; i < count; i++) {
            assertThat(sha256(file(directory, i))).as("SHA-256 of part %d%n%s", i, this).isEqualTo(TunnelTarget.sha256(i * step, bytes));
            Files.delete(file(directory, i));
        }
    }

    private String url(int offset, int bytes) {
        return "http://" + HOST + ':' + localPort + '/' + offset + '/' + bytes;
    }

    private static Path file(Path directory, int part) {
        return directory.resolve("part-" + part);
    }

    /** Sends a file to the target and compares the SHA-256 digest that the target returns. */
    void upload(Path file, int limitSeconds) throws IOException, InterruptedException {
        String output = run(List.of("curl", "-sS", "--fail", "--max-time", Integer.toString(limitSeconds), "-H", "Expect:",
            "--data-binary", "@" + file, url(0, 0)), limitSeconds);
        assertThat(output.trim()).as("SHA-256 of the upload%n%s", this).isEqualTo(sha256(file));
    }

    private String run(List<String> command, int limitSeconds) throws IOException, InterruptedException {
        try (ChildProcess curl = ChildProcess.start(command)) {
            return curl.awaitSuccess(limitSeconds + 2);
        } catch (AssertionError failed) {
            throw new AssertionError(failed.getMessage() + '\n' + this, failed);
        }
    }

    private static String sha256(Path file) {
        try (DigestInputStream digesting = new DigestInputStream(Files.newInputStream(file), Sha256.newDigest())) {
            digesting.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(digesting.getMessageDigest().digest());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Returns the output of all processes. */
    @Override
    public String toString() {
        return String.join("\n", outputs) + "\nserver " + server + ": " + (serverProcess == null ? "" : serverProcess.output())
            + "\nclient " + client + ": " + (clientProcess == null ? "" : clientProcess.output());
    }

    @Override
    public void close() {
        killClient();
        killServer();
        if (relay != null) {
            relay.close();
        }
    }
}
