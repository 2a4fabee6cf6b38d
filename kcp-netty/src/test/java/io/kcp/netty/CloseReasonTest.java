package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.internal.channel.DefaultKcpChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The close cause, {@code exceptionCaught}, the statistics, the recorded event and the notice to the peer report the same reason. */
@Timeout(60)
class CloseReasonTest {

    private static final String EVENT = "io.kcp.SessionClosed";
    private static final int CONV = 7;
    /** Reasons for which {@code exceptionCaught} is not called if all data was acknowledged. */
    private static final Set<KcpCloseReason> QUIET = EnumSet.of(KcpCloseReason.IDLE, KcpCloseReason.PEER_TIMEOUT,
        KcpCloseReason.FIRST_MESSAGE_TIMEOUT, KcpCloseReason.PEER_CLOSED, KcpCloseReason.PARENT_CLOSED, KcpCloseReason.EVICTED);
    /** Reasons for which {@code exceptionCaught} is never called. */
    private static final Set<KcpCloseReason> SILENT = EnumSet.of(KcpCloseReason.PARENT_CLOSED, KcpCloseReason.EVICTED);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void allReportsAgree(KcpCloseReason reason) throws IOException {
        assertAgree(reason, false);
        assertAgree(reason, true);
    }

    private void assertAgree(KcpCloseReason reason, boolean undelivered) throws IOException {
        try (Recording recording = new Recording(); EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            SessionRecorder server = link.accepted(0);
            server.session().writeAndFlush(link.text("validates the peer"));
            link.settle();
            if (undelivered) {
                link.client().loseAll();
                server.session().writeAndFlush(link.text("never acknowledged"));
                link.settle();
            }
            recording.enable(EVENT);
            recording.start();
            ((DefaultKcpChannel) server.session()).closeWith(reason);
            link.settle();
            recording.stop();
            KcpCloseException cause = (KcpCloseException) server.session().closeCause();
            assertThat(cause.reason()).isEqualTo(reason);
            assertThat(server.session().closeFuture().isSuccess()).isTrue();
            assertThat(link.server().stats().closed()).isEqualTo(Map.of(reason, 1L));
            assertThat(link.server().stats().closedByApplication()).isZero();
            assertThat(link.server().stats().undelivered()).isEqualTo(undelivered ? 1 : 0);
            boolean reported = undelivered ? !SILENT.contains(reason) : !QUIET.contains(reason);
            assertThat(server.exceptions()).isEqualTo(reported ? List.of(cause) : List.of());
            Path file = folder.resolve(reason + "-" + undelivered + ".jfr");
            recording.dump(file);
            List<RecordedEvent> events = RecordingFile.readAllEvents(file);
            assertThat(events.get(0).getString("reason")).isEqualTo(reason.name());
            assertPeerIsNotified(reason, client);
        }
    }

    private static void assertPeerIsNotified(KcpCloseReason reason, SessionRecorder client) {
        if (reason == KcpCloseReason.PARENT_CLOSED) {
            assertThat(client.session().isActive()).as("not notified, because a closed socket sends nothing").isTrue();
            client.session().config().setLingerMs(0);
            return;
        }
        KcpCloseException atPeer = (KcpCloseException) client.session().closeCause();
        assertThat(atPeer.reason()).isEqualTo(reason == KcpCloseReason.IDLE ? KcpCloseReason.PEER_CLOSED : KcpCloseReason.PEER_FAILED);
        boolean byPeer = reason == KcpCloseReason.PEER_CLOSED || reason == KcpCloseReason.PEER_FAILED;
        assertThat(atPeer.peerReason()).isEqualTo(byPeer ? null : reason);
    }
}
