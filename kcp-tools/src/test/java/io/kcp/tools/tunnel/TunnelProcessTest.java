package io.kcp.tools.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.tools.KcpCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the programs in processes of their own. */
@Timeout(120)
@Tag("jdk")
final class TunnelProcessTest {

    private static Process start(String command, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), KcpCommand.class.getName(), "tunnel", command));
        arguments.addAll(List.of(options));
        ProcessBuilder builder = new ProcessBuilder(arguments).redirectErrorStream(true);
        builder.environment().put("KCPTUN_KEY", "from the environment");
        return builder.start();
    }

    /** Reads lines until one matches, and returns its first group. */
    private static String await(BufferedReader output, String pattern) throws IOException {
        Pattern compiled = Pattern.compile(pattern);
        StringBuilder lines = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            lines.append(line).append('\n');
            Matcher matcher = compiled.matcher(line);
            if (matcher.find()) {
                return matcher.groupCount() == 0 ? line : matcher.group(1);
            }
        }
        throw new AssertionError("no " + pattern + " in:\n" + lines);
    }

    @Test
    @Tag("slow")
    void programsTransferDataServeMetricsAndDrain(@TempDir Path directory) throws Exception {
        Path snmp = directory.resolve("snmp.log");
        try (Target target = Target.echo()) {
            Process server = start("server", "-l", "127.0.0.1:0", "-t", "127.0.0.1:" + target.address().getPort(),
                "-metrics", "127.0.0.1:0", "-snmplog", snmp.toString(), "-snmpperiod", "1");
            BufferedReader serverOutput = server.inputReader();
            String port = await(serverOutput, "listening on .*:(\\d+)");
            String metrics = await(serverOutput, "metrics on (http:.*)");
            await(serverOutput, "ready");
            Path config = Files.writeString(directory.resolve("client.json"),
                "{\"localaddr\": \"127.0.0.1:0\", \"remoteaddr\": \"127.0.0.1:" + port + "\"}");
            Process client = start("client", "-c", config.toString());
            BufferedReader clientOutput = client.inputReader();
            int local = Integer.parseInt(await(clientOutput, "listening on .*:(\\d+)"));
            await(clientOutput, "ready");
            try (Socket socket = new Socket("127.0.0.1", local)) {
                socket.setSoTimeout(30_000);
                socket.getOutputStream().write(42);
                assertThat(socket.getInputStream().read()).isEqualTo(42);
                await(clientOutput, "stream opened: .* \\(stream 3\\)");
                String scrape = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(URI.create(metrics)).build(), HttpResponse.BodyHandlers.ofString()).body();
                assertThat(scrape).contains("kcp_tunnel_streams_active 1.0", "kcp_sessions_active 1.0", "direction=\"to_socket\"");
                // Process.destroy() would also close the output.
                client.toHandle().destroy();
                await(clientOutput, "draining: 1 open streams");
                socket.getOutputStream().write(43);
                assertThat(socket.getInputStream().read()).isEqualTo(43);
            }
            assertThat(client.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(client.exitValue()).isZero();
            server.toHandle().destroy();
            assertThat(server.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).isZero();
            assertThat(Files.readAllLines(snmp)).hasSizeGreaterThan(1);
        }
    }

    @Test
    void failuresAreReportedInOneLine(@TempDir Path directory) throws Exception {
        Process wrongOption = start("server", "--crypt", "rot13");
        await(wrongOption.inputReader(), "rot13");
        assertThat(wrongOption.waitFor()).isEqualTo(2);
        Process wrongFile = start("server", "-c", directory.resolve("missing.json").toString());
        await(wrongFile.inputReader(), "missing.json");
        assertThat(wrongFile.waitFor()).isEqualTo(2);
        Process noDirectory = start("client", "-l", directory.resolve("missing/socket").toString());
        await(noDirectory.inputReader(), "cannot listen on .*missing/socket");
        assertThat(noDirectory.waitFor()).isEqualTo(1);
    }
}
