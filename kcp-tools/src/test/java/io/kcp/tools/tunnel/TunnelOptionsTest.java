package io.kcp.tools.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Tests the options and the configuration file. */
final class TunnelOptionsTest {

    private static ClientOptions client(String... arguments) {
        return TunnelPair.clientOptions(GoArguments.rewrite(List.of(arguments), new CommandLine(new ClientOptions()).getCommandSpec()));
    }

    private static ServerOptions server(String... arguments) {
        return TunnelPair.serverOptions(GoArguments.rewrite(List.of(arguments), new CommandLine(new ServerOptions()).getCommandSpec()));
    }

    @Test
    void clientDefaultsAreThoseOfKcptun() {
        ClientOptions options = client();
        KcpConfig kcp = options.common().kcp();
        assertThat(options.local()).isEqualTo(new StreamAddress("", 12_948, null));
        assertThat(options.remote()).isEqualTo(new PortRange("vps", 29_900, 29_900));
        assertThat(options.connections()).isEqualTo(1);
        assertThat(options.autoExpireSeconds()).isZero();
        assertThat(options.scavengeSeconds()).isEqualTo(600);
        assertThat(kcp.mode()).isEqualTo(KcpTransferMode.STREAM);
        assertThat(kcp.sendWindow()).isEqualTo(128);
        assertThat(kcp.receiveWindow()).isEqualTo(512);
        assertThat(kcp.mtuBytes()).isEqualTo(1350);
        assertThat(kcp.intervalMs()).isEqualTo(30);
        assertThat(options.common().compression()).isTrue();
        assertThat(options.common().socketBufferBytes()).isEqualTo(4_194_304);
        assertThat(options.common().summary()).contains("encryption aes, compression true, smux version 2, FEC 10+3");
    }

    @Test
    void serverDefaultsAreThoseOfKcptun() {
        ServerOptions options = server();
        assertThat(options.listen()).isEqualTo(new PortRange("", 29_900, 29_900));
        assertThat(options.target()).isEqualTo(new StreamAddress("127.0.0.1", 12_948, null));
        assertThat(options.common().kcp().sendWindow()).isEqualTo(1024);
        assertThat(options.common().kcp().receiveWindow()).isEqualTo(1024);
        assertThat(options.common().closeWaitSeconds()).isEqualTo(30);
        assertThat(options.proxyProtocol()).isFalse();
    }

    @Test
    void singleDashesOfGoAreAccepted() {
        ClientOptions options = client("-r", "[::1]:3000-3010", "-mode=fast3", "-conn", "4", "-nocomp", "--key", "-mode",
            "-autoexpire", "900", "-scavengettl", "-1", "-ds", "20");
        assertThat(options.remote()).isEqualTo(new PortRange("::1", 3000, 3010));
        assertThat(options.common().kcp().intervalMs()).isEqualTo(10);
        assertThat(options.connections()).isEqualTo(4);
        assertThat(options.common().compression()).isFalse();
        assertThat(options.autoExpireSeconds()).isEqualTo(900);
        assertThat(options.scavengeSeconds()).isEqualTo(Integer.MAX_VALUE);
        assertThat(options.common().summary()).contains("FEC 20+3");
    }

    @Test
    void manualModeUsesItsFourOptions() {
        KcpConfig kcp = server("--mode", "manual", "--nodelay", "1", "--interval", "15", "--resend", "3", "--nc", "0").common().kcp();
        assertThat(kcp.noDelay()).isTrue();
        assertThat(kcp.intervalMs()).isEqualTo(15);
        assertThat(kcp.fastResend()).isEqualTo(3);
        assertThat(kcp.congestionControl()).isEqualTo(CongestionAlgorithm.KCP_GO);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--crypt rot13 | rot13", "--crypt AES | AES", "--mode turbo | --mode: turbo", "--tcp | --tcp of kcptun is not implemented",
        "--QPP | --QPP of kcptun is not implemented", "--qpp=true | --QPP", "--pprof | --pprof", "--smuxver 3 | --smuxver: 3",
        "--dscp 64 | --dscp: 64", "--mtu 20 | mtuBytes: 20", "--sndwnd 0 | sendWindow: 0", "--keepalive 31 | --keepalive: 31",
        "--datashard 200 --parityshard 100 | 300", "--metrics socket | --metrics", "--transport KQUEUE | KQUEUE",
        "--framesize 70000 | maxFrameBytes", "--closewait -1 | --closewait: -1"})
    void wrongOptionsAreNamed(String arguments, String message) {
        assertThatThrownBy(() -> server(arguments.split(" "))).isInstanceOf(ParameterException.class).hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--conn 0", "--autoexpire -1", "--remoteaddr vps", "--remoteaddr vps:0", "--remoteaddr vps:2-1",
        "--remoteaddr vps:70000", "--localaddr :x", "--localaddr "})
    void wrongClientOptionsAreRefused(String arguments) {
        assertThatThrownBy(() -> client(arguments.split(" ", 2))).isInstanceOf(ParameterException.class);
    }

    @Test
    void emptyShardCountDisablesFec() {
        assertThat(server("--ds", "0").common().summary()).contains("FEC 0+3");
        assertThat(server("--ps", "0", "--qpp=false", "--tcp=false").common().summary()).contains("FEC 10+0");
    }

    @Test
    void configFileOverridesTheCommandLine(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("server.json"), """
            {"listen": ":4000-4010", "target": "/run/app.sock", "Key": "secret", "crypt": "salsa20", "mode": "fast2", "mtu": 1300,
             "nocomp": true, "nc": 1, "qpp": false, "qpp-count": 64, "tcp": false, "pprof": false, "log": "", "unknown": 1}
            """);
        CommandLine line = TunnelLauncher.commandLine(new ServerOptions());
        StringWriter err = new StringWriter();
        line.setErr(new PrintWriter(err));
        ServerOptions options = server(TunnelLauncher.withConfigFile(line, List.of("-c", file.toString(), "-mtu", "1200")));
        assertThat(options.listen()).isEqualTo(new PortRange("", 4000, 4010));
        assertThat(options.target()).isEqualTo(new StreamAddress(null, 0, "/run/app.sock"));
        assertThat(options.common().kcp().mtuBytes()).isEqualTo(1300);
        assertThat(options.common().compression()).isFalse();
        assertThat(options.common().summary()).contains("salsa20");
        assertThat(err.toString()).contains("ignoring the unknown entry 'unknown'").doesNotContain("qpp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "[]", "{\"mode\": [\"fast\"]}"})
    void invalidConfigFileIsReported(String json, @TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("server.json"), json);
        CommandLine line = TunnelLauncher.commandLine(new ServerOptions());
        assertThatThrownBy(() -> TunnelLauncher.withConfigFile(line, List.of("-c", file.toString())))
            .isInstanceOf(IOException.class).hasMessageContaining("server.json");
    }
}
