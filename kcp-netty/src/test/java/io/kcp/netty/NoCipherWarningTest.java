package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server logs a warning if it is reachable from other hosts and the application has neither set nor disabled a cipher. */
@Timeout(60)
class NoCipherWarningTest {

    private static List<String> warnings(String host, UnaryOperator<KcpServerBootstrap> settings) throws Exception {
        try (RecordedLog log = new RecordedLog("io.kcp"); Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerBootstrap bootstrap = settings.apply(loopback.server(EchoHandler.INSTANCE));
            bootstrap.bind(new InetSocketAddress(host, 0)).sync().channel().close().sync();
            return log.records().stream().filter(logged -> logged.getLevel() == Level.WARNING).map(LogRecord::getMessage)
                .filter(line -> line.contains("cipher")).toList();
        }
    }

    @Test
    void warnsOnceIfReachableWithoutADecision() throws Exception {
        assertThat(warnings("0.0.0.0", bootstrap -> bootstrap)).singleElement().asString()
            .contains("uses no cipher", "0.0.0.0", "read, modify and forge", "aes-128-gcm", "crypto(null)", "crypt.type=null");
    }

    @Test
    void explicitNullSilencesTheWarning() throws Exception {
        assertThat(warnings("0.0.0.0", bootstrap -> bootstrap.crypto(null))).isEmpty();
    }

    @Test
    void explicitNullCipherSilencesTheWarning() throws Exception {
        assertThat(warnings("0.0.0.0", bootstrap -> bootstrap.crypto(CryptoConfig.of("null", new byte[0])))).isEmpty();
    }

    @Test
    void encryptedServersDoNotWarn() throws Exception {
        assertThat(warnings("0.0.0.0", bootstrap -> bootstrap.crypto(CryptoConfig.kcptun("aes-128-gcm", "k")))).isEmpty();
    }

    @Test
    void loopbackServersDoNotWarn() throws Exception {
        assertThat(warnings("127.0.0.1", bootstrap -> bootstrap)).isEmpty();
    }
}
