package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.LossModel;
import io.kcp.testkit.LossyRelay;
import io.kcp.tools.command.Launcher;
import io.kcp.tools.linkcheck.LinkCheck;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Measures a link to kcp-go, which knows nothing of the measurement. */
@Tag("interop")
@Timeout(120)
class LiveLinkCheckTest {

    private static final LinkProfile LOSSY_LINK = LinkProfile.builder().rateBitsPerSecond(10_000_000).framingBytes(28).queueBytes(100_000)
        .delayMs(15).loss(seed -> LossModel.everyNth(20)).build();
    private static final Pattern LOSS = Pattern.compile("loss +([\\d.]+) % to the server, ([\\d.]+) % from the server");

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @ValueSource(strings = {"kcppeer-5.6.72", "kcppeer-5.6.1"})
    void lossIsMeasuredAgainstKcpGo(String peer) throws Exception {
        assertThat(PeerProcess.isInstalled(peer)).as("%s is built; src/interop/install.sh does it", peer).isTrue();
        StringWriter output = new StringWriter();
        StringWriter errors = new StringWriter();
        try (PeerProcess process = PeerProcess.start(peer, "server", List.of("--action", "echo", "--crypt", "aes", "--key", "secret",
                "--acknodelay"));
             LossyRelay relay = LossyRelay.start(new InetSocketAddress(InetAddress.getLoopbackAddress(),
                 Integer.parseInt(PeerProcess.field(process.await("ready", 30), "port"))), LOSSY_LINK, 3)) {
            int exitCode = Launcher.commandLine(new LinkCheck()).setOut(new PrintWriter(output, true))
                .setErr(new PrintWriter(errors, true)).execute("--port", Integer.toString(relay.address().getPort()), "--picture",
                    temporary.resolve("link.svg").toString(), "--seconds", "15", "--crypt", "aes", "--key", "secret");
            assertThat(exitCode).as("%s", errors).isZero();
        }
        Matcher loss = LOSS.matcher(output.toString());
        assertThat(loss.find()).as("%s", output).isTrue();
        // The limits are those of sixty datagrams, of which two to four are lost.
        assertThat(Double.parseDouble(loss.group(1))).as("%s", output).isBetween(2.0, 9.0);
        assertThat(Double.parseDouble(loss.group(2))).as("%s", output).isBetween(0.5, 12.0);
        assertThat(output.toString()).contains("redundancy(Redundancy.", "congestionControl(CongestionAlgorithm.BBR)");
    }
}
