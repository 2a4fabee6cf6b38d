package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.internal.base.PartialInputLimit;
import io.kcp.netty.packet.PacketEncoder;
import io.kcp.netty.packet.PacketFormat;
import io.kcp.netty.packet.PacketLimits;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attacks on the memory of incomplete packets of a server without a cipher, on a simulated clock. */
@Timeout(60)
class PacketFloodTest {

    private static final InetSocketAddress CLIENT = SimulatedHosts.address(0x0a000101, 5_000);
    private static final int LIMIT_BYTES = 1 << 20;

    private final PartialInputLimit limit = new PartialInputLimit(LIMIT_BYTES, 0);

    private static Consumer<KcpChannel> packets(PartialInputLimit limit) {
        return session -> session.pipeline().addLast(PacketLimits.decoder(limit), new PacketEncoder(PacketFormat.DEFAULT));
    }

    /** An attacker who forges addresses sends the first segments of many sessions without receiving a response. */
    @Test
    void packetsOfForgedSessionsDoNotDisplaceThoseOfRealClients() {
        try (FloodedEchoServer network = new FloodedEchoServer(builder -> { }, packets(limit))) {
            EchoClient honest = network.connect(CLIENT, 1, null, packets(PartialInputLimit.SHARED));
            assertThat(network.runUntil(honest::isConnected, 5_000)).isTrue();
            send(network, honest, network.allocator().buffer().writeIntLE(120_000).writeZero(90_000));
            assertThat(network.runUntil(() -> limit.usedBytes() > 90_000, 5_000)).isTrue();
            byte[] part = new byte[1_300];
            part[2] = 0x10;
            for (int i = 0; i < 200; i++) {
                InetSocketAddress forged = SimulatedHosts.address(0x0b000001 + i, 6_000);
                network.step(8, sn -> network.attack(forged, WireSegment.datagram(network.allocator(),
                    WireSegment.push(1, sn, 0, sn == 0 ? text(part) : text(new byte[1_300])))));
            }
            network.runForMs(1_000);
            assertThat(limit.usedBytes()).isBetween(LIMIT_BYTES / 2L, (long) LIMIT_BYTES);
            assertThat(network.stats().activeSessions()).as("most sessions of the attacker are closed").isBetween(30L, 100L);
            assertThat(honest.recorder().session().isActive()).as("the session of the real client").isTrue();
            send(network, honest, network.allocator().buffer().writeZero(30_000));
            assertThat(network.runUntil(() -> honest.recorder().messages().size() == 2, 5_000)).isTrue();
        }
    }

    /** Writes bytes to the session of a client without the handlers that encode packets. */
    private static void send(FloodedEchoServer network, EchoClient client, ByteBuf bytes) {
        client.recorder().session().pipeline().firstContext().writeAndFlush(bytes);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
