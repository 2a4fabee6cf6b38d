package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.test.FreePort;
import io.kcp.tools.command.Launcher;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

@Timeout(60)
class EchoTest {

    @ParameterizedTest
    @CsvSource({"message, fast3, 64", "message, normal, 20000", "stream, fast, 100000"})
    void clientReceivesEchoes(String mode, String preset, String size) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());
        try {
            Channel server = EchoServer.listen(new KcpServerBootstrap().group(group).config(KcpConfig.fast3()), "127.0.0.1", 0);
            String port = Integer.toString(((InetSocketAddress) server.localAddress()).getPort());
            assertThat(Launcher.commandLine(new EchoClient()).execute("--port", port, "--mode", mode, "--preset", preset,
                "--count", "3", "--size", size, "--interval", "1")).isZero();
            server.close().sync();
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    @ParameterizedTest
    @EnumSource
    void echoesOverTlsWithCertificatesOnBothSides(KcpTransferMode mode, @TempDir Path folder) throws Exception {
        List<String> server = certificate(folder, "server");
        List<String> client = certificate(folder, "client");
        TlsOptions serverTls = new TlsOptions();
        new CommandLine(serverTls).parseArgs("--tls-certificate", server.get(0), "--tls-key", server.get(1), "--tls-trust",
            client.get(0));
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());
        try {
            Channel channel = EchoServer.listen(
                new KcpServerBootstrap().group(group).config(KcpConfig.fast3().toBuilder().mode(mode).build()), serverTls, "127.0.0.1", 0);
            String port = Integer.toString(((InetSocketAddress) channel.localAddress()).getPort());
            assertThat(Launcher.commandLine(new EchoClient()).execute("--host", "localhost", "--port", port, "--mode", mode.name(),
                "--count", "3", "--size", "20000", "--interval", "1", "--tls-certificate", client.get(0), "--tls-key", client.get(1),
                "--tls-trust", server.get(0))).isZero();
            channel.close().sync();
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** Writes a self-signed certificate and its key, and returns the names of the files. */
    private static List<String> certificate(Path folder, String name) throws Exception {
        X509Bundle bundle = new CertificateBuilder().subject("CN=" + name).addSanDnsName("localhost").setIsCertificateAuthority(true)
            .buildSelfSigned();
        Path certificate = Files.writeString(folder.resolve(name + ".pem"), bundle.getCertificatePEM());
        Path key = Files.writeString(folder.resolve(name + ".key"), bundle.getPrivateKeyPEM());
        return List.of(certificate.toString(), key.toString());
    }

    @Test
    void clientErrorWithoutServerSuggestsRemedy() throws Exception {
        StringWriter errors = new StringWriter();
        int exitCode = Launcher.commandLine(new EchoClient()).setErr(new PrintWriter(errors, true))
            .execute("--port", Integer.toString(FreePort.find()), "--timeout", "1");
        assertThat(exitCode).isOne();
        assertThat(errors.toString()).contains("no valid datagram was received within the dead-peer timeout",
            "is an EchoServer running on 127.0.0.1:");
    }

    @Test
    void invalidOptionsAreNamed() {
        StringWriter errors = new StringWriter();
        int exitCode = Launcher.commandLine(new EchoClient()).setErr(new PrintWriter(errors, true)).execute("--mtu", "9000");
        assertThat(exitCode).isOne();
        assertThat(errors.toString()).contains("mtuBytes: 9000 (expected: ");
    }
}
