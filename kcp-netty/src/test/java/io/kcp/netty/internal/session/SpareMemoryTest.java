package io.kcp.netty.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecHeader;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.internal.admission.UnvalidatedSessions;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A session that pauses after a burst shrinks to its idle size within a second, and then schedules no tasks. */
@Timeout(60)
class SpareMemoryTest {

    private static final int CONV = 7;

    private static EmbeddedLink link() {
        Consumer<Channel> fec = channel -> channel.pipeline().addLast(new FecCodec(FecConfig.of(new FecShape(10, 3))));
        return EmbeddedLink.create(server -> server.childOption(KcpChannelOption.KEEPALIVE_MS, 0)
            .childOption(KcpChannelOption.IDLE_TIMEOUT_MS, 0), SessionRecorder::new, fec, fec);
    }

    private static KcpChannel connect(EmbeddedLink link) {
        KcpChannel session = link.connect(CONV).session();
        session.config().setOption(KcpChannelOption.KEEPALIVE_MS, 0);
        session.config().setOption(KcpChannelOption.IDLE_TIMEOUT_MS, 0);
        return session;
    }

    private static void burst(EmbeddedLink link, KcpChannel session) {
        for (int i = 0; i < 1_003; i++) {
            session.write(link.text("m" + i));
        }
        session.flush();
        link.settle();
    }

    private static boolean holds(KcpChannel session) {
        return ((DefaultKcpChannel) session).fec.holdsSpareMemory() || ((DefaultKcpChannel) session).kcp().holdsSpareMemory();
    }

    @Test
    void sessionHasItsIdleSizeASecondAfterABurst() {
        try (EmbeddedLink link = link()) {
            KcpChannel client = connect(link);
            burst(link, client);
            KcpChannel server = link.accepted(0).session();
            assertThat(holds(client)).as("client after the burst").isTrue();
            assertThat(holds(server)).as("server after the burst").isTrue();
            link.advanceMs(1_050);
            assertThat(holds(client)).as("client").isFalse();
            assertThat(holds(server)).as("server").isFalse();
            assertThat(link.client().channel().runScheduledPendingTasks()).as("no task is left").isEqualTo(-1);
            link.advanceMs(UnvalidatedSessions.MAX_AGE_MS);
            assertThat(link.server().channel().runScheduledPendingTasks()).as("no task is left once the session has aged").isEqualTo(-1);
            burst(link, client);
            assertThat(link.accepted(0).messages()).hasSize(2_006);
        }
    }

    private static long groupsHeld(KcpChannel session) {
        return ((DefaultKcpChannel) session).fec.stats().groupsHeld();
    }

    /** No other session receives shards on the loop, because that would also release the memory. */
    @Test
    void decoderOfAPausedSessionReleasesIncompleteGroups() {
        try (EmbeddedLink link = link()) {
            KcpChannel client = connect(link);
            burst(link, client);
            KcpChannel server = link.accepted(0).session();
            assertThat(groupsHeld(server)).as("groups that began but did not complete").isPositive();
            link.advanceMs(1_050);
            assertThat(groupsHeld(server)).isZero();
            int[] data = {0};
            link.client().lose(datagram -> FecHeader.type(datagram, datagram.readerIndex()) == FecHeader.TYPE_DATA
                && data[0]++ % 10 == 4);
            burst(link, client);
            assertThat(((DefaultKcpChannel) server).fec.stats().recoveredShards()).as("shards recovered later").isPositive();
        }
    }

    /** A parity shard that recovers nothing does not count as activity of its session. */
    @Test
    void parityAloneSchedulesTheTrim() {
        try (EmbeddedLink link = link()) {
            KcpChannel client = connect(link);
            burst(link, client);
            KcpChannel server = link.accepted(0).session();
            link.advanceMs(1_050);
            ByteBuf[] parity = new ByteBuf[1];
            link.client().lose(datagram -> {
                if (parity[0] == null && FecHeader.type(datagram, datagram.readerIndex()) == FecHeader.TYPE_PARITY) {
                    parity[0] = datagram.copy();
                }
                return true;
            });
            for (int i = 0; i < 10; i++) {
                client.write(link.bytes(1_300));
            }
            client.flush();
            link.settle();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, parity[0]);
            assertThat(groupsHeld(server)).isPositive();
            link.advanceMs(1_050);
            assertThat(groupsHeld(server)).isZero();
        }
    }

    @Test
    void busySessionKeepsItsGroupAndSendsParity() {
        try (EmbeddedLink link = link()) {
            KcpChannel client = connect(link);
            int[] parity = {0};
            link.client().lose(datagram -> {
                parity[0] += FecHeader.type(datagram, datagram.readerIndex()) == FecHeader.TYPE_PARITY ? 1 : 0;
                return false;
            });
            for (int i = 0; i < 40; i++) {
                client.writeAndFlush(link.text("m" + i));
                link.advanceMs(300);
            }
            assertThat(parity[0]).isGreaterThanOrEqualTo(9);
        }
    }

    @Test
    void sessionThatClosesIsRemovedFromTheTrimList() {
        try (EmbeddedLink link = link()) {
            KcpChannel client = connect(link);
            burst(link, client);
            link.accepted(0).session().close();
            client.close();
            link.settle();
            link.advanceMs(1_100);
            assertThat(client.isOpen()).isFalse();
        }
    }
}
