package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LoopContextTest {

    @Test
    void handlersOfOneLoopShareItsContext() {
        EmbeddedChannel one = new EmbeddedChannel();
        EmbeddedChannel two = new EmbeddedChannel();
        LoopContext context = LoopContext.of(one.eventLoop(), one.alloc());
        assertThat(LoopContext.of(one.eventLoop(), one.alloc())).isSameAs(context);
        assertThat(LoopContext.of(two.eventLoop(), two.alloc())).isNotSameAs(context);
        one.finish();
        two.finish();
    }

    @Test
    void whatIsDueAtTheSameTimeLeavesWithOneFlush() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<KcpChannel> sessions = new ArrayList<>();
            for (int conv = 1; conv <= 50; conv++) {
                sessions.add(link.establish(conv).session());
            }
            link.client().loseAll();
            sessions.forEach(session -> session.writeAndFlush(link.text("lost")));
            link.settle();
            int before = link.client().flushes();
            link.client().sent().clear();
            assertThat(link.advanceUntil(() -> link.client().sent().size() > 0, 1_000)).isTrue();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_PUSH)).as("all repeat").hasSize(50);
            assertThat(link.client().flushes() - before).isEqualTo(1);
        }
    }

    @Test
    void sessionThatEndsAnotherOneThatIsDueTooDisturbsNobody() {
        List<SessionRecorder> clients = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create()) {
            for (int conv = 1; conv <= 6; conv++) {
                clients.add(link.connect(conv, new SessionRecorder().onException((ctx, cause) -> clients.forEach(other -> {
                    other.session().config().setLingerMs(0);
                    other.session().close();
                }))));
            }
            link.client().loseAll();
            clients.forEach(client -> client.session().writeAndFlush(link.text("lost")));
            link.advanceMs(31_000);
            assertThat(clients).allMatch(client -> !client.session().isOpen());
            assertThat(clients.stream().mapToInt(client -> client.exceptions().size()).sum()).as("only one died by itself")
                .isEqualTo(1);
            assertThat(link.client().channel().runScheduledPendingTasks()).isEqualTo(-1);
        }
    }
}
