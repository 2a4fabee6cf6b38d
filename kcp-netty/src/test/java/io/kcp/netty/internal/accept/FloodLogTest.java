package io.kcp.netty.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.DropReason;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.RecordedLog;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.WireSegment;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FloodLogTest {

    private static final int CONV = 7;
    private static final int MAX_SESSIONS_PER_ADDRESS = 4;

    private static void sendFirst(EmbeddedLink link, int port) {
        link.server().receive(new InetSocketAddress("192.0.2.1", port), WireSegment.push(CONV, 0, 0, "x"));
        link.server().channel().releaseOutbound();
    }

    /** An address at its limit does not put the server under load, so the operator must not search for a flood. */
    @Test
    void addressAtItsLimitIsNamedAsAPossibleCause() {
        try (RecordedLog log = new RecordedLog("io.kcp.netty.KcpHandler"); EmbeddedLink link = EmbeddedLink.create(
            server -> server.maxSessions(1_000).maxSessionsPerAddress(MAX_SESSIONS_PER_ADDRESS), SessionRecorder::new)) {
            for (int port = 1; port <= MAX_SESSIONS_PER_ADDRESS; port++) {
                sendFirst(link, port);
            }
            sendFirst(link, 5);
            sendFirst(link, 5);
            assertThat(link.server().dropped(DropReason.FIRST_ARRIVAL)).isEqualTo(1);
            assertThat(link.server().dropped(DropReason.UNPROVEN_ADDRESS)).isEqualTo(1);
            assertThat(log.messages()).hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("under load, or the address has as many sessions as maxSessionsPerAddress"))
                .anySatisfy(line -> assertThat(line).contains("FIRST_ARRIVAL", "192.0.2.1:5", "retransmittedOnlyUnderLoad"))
                .anySatisfy(line -> assertThat(line).contains("UNPROVEN_ADDRESS", "192.0.2.1:5", "addressProofUnderLoad"));
        }
    }
}
