package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.tls.KcpTls;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The time from the first write of a client to the response of an echo server, in round trips, and the bytes on the wire until then. */
@Timeout(60)
class TlsRoundTripsTest {

    private static final CryptoConfig AEAD = CryptoConfig.of("aes-128-gcm", new byte[16]);

    /** Result of one connection. */
    private record Cost(double roundTrips, long wireBytes, @Nullable Certificate serverCertificate) {

        @Override
        public String toString() {
            return roundTrips + " round trips, " + wireBytes + " bytes";
        }
    }

    private static List<Cost> connectTwice(@Nullable CryptoConfig crypto, boolean limited) throws Exception {
        TlsCertificates certificate = new TlsCertificates("game.example");
        SslContext server = certificate.server();
        SslContext client = certificate.client();
        try (FloodedEchoServer network = new FloodedEchoServer(builder -> builder.crypto(crypto).amplificationLimit(limited),
            KcpTls.server(() -> server)::addTo)) {
            Consumer<KcpChannel> tls = KcpTls.client(() -> client).peerHost("game.example")::addTo;
            return List.of(connect(network, 1, crypto, tls), connect(network, 2, crypto, tls));
        }
    }

    private static Cost connect(FloodedEchoServer network, int conv, @Nullable CryptoConfig crypto, Consumer<KcpChannel> setup)
        throws Exception {
        InetSocketAddress address = SimulatedHosts.address(0x0a000100 + conv, 5_000);
        EchoClient client = network.connect(address, conv, crypto, setup);
        for (int ms = 0; ms < 5_000 && !client.isConnected(); ms++) {
            network.step();
        }
        assertThat(client.isConnected()).isTrue();
        SSLSession tls = KcpTls.sslSession(client.recorder().session());
        return new Cost(client.connectMs() / (double) FloodedEchoServer.ROUND_TRIP_MS, client.wireBytes(),
            tls == null ? null : tls.getPeerCertificates()[0]);
    }

    @Test
    void handshakeCostsOneOrTwoRoundTrips() throws Exception {
        try (FloodedEchoServer network = new FloodedEchoServer(builder -> builder.crypto(AEAD))) {
            Cost plain = connect(network, 1, AEAD, session -> { });
            System.out.println("without TLS: " + plain);
            assertThat(plain.roundTrips).isBetween(1.0, 1.1);
        }
        for (CryptoConfig crypto : new CryptoConfig[] {AEAD, null}) {
            List<Cost> costs = connectTwice(crypto, true);
            System.out.println("TLS with " + (crypto == null ? "no cipher" : crypto.cipherName()) + ", full and resumed: " + costs);
            // A server begins the handshake one round trip later, when the client has proved its address.
            assertThat(costs).allSatisfy(cost -> assertThat(cost.roundTrips).isBetween(3.0, 3.1));
            // A resumed session reuses the certificate object of the first session instead of parsing a received certificate.
            assertThat(costs.get(1).serverCertificate).isSameAs(costs.get(0).serverCertificate);
        }
        List<Cost> unlimited = connectTwice(AEAD, false);
        System.out.println("TLS without the amplification limit, full and resumed: " + unlimited);
        assertThat(unlimited).allSatisfy(cost -> assertThat(cost.roundTrips).isBetween(2.0, 2.1));
    }
}
