package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecHeader;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.internal.channel.DropCounters;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.kcp.netty.internal.session.PeerTable;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An address opens thousands of conversations and then sends parity shards, which carry no conversation id. */
@Timeout(60)
class ManySessionsOfOneAddressTest {

    private static final int SESSIONS = 3_000;
    private static final int SHARDS = 200;
    private static final FecShape SHAPE = new FecShape(3, 2);

    private static Consumer<Channel> fec() {
        return channel -> channel.pipeline().addLast(new FecCodec(FecConfig.of(SHAPE)));
    }

    private static EmbeddedLink link() {
        return EmbeddedLink.create(builder -> builder.maxSessions(SESSIONS + 1).maxSessionsPerAddress(SESSIONS + 1)
            .retransmittedOnlyUnderLoad(false).addressProofUnderLoad(false).openingsPerSecondUnderLoad(0).unknownDatagramsPerSecond(0),
            SessionRecorder::new, fec(), fec());
    }

    private static List<SessionRecorder> connect(EmbeddedLink link, int count) {
        List<SessionRecorder> sessions = new ArrayList<>();
        for (int conv = 1; conv <= count; conv++) {
            SessionRecorder session = link.connect(conv);
            session.session().writeAndFlush(link.text("hello"));
            sessions.add(session);
        }
        link.settle();
        return sessions;
    }

    private static long visits(EmbeddedLink link) {
        return PeerTable.of(link.server().channel()).visits();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 1_000_003})
    void parityShardIsOfferedToABoundedNumberOfSessions(int seqid) {
        try (EmbeddedLink link = link()) {
            connect(link, SESSIONS);
            assertThat(link.accepted()).hasSize(SESSIONS);
            long before = visits(link);
            for (int i = 0; i < SHARDS; i++) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS,
                    link.allocator().directBuffer().writeIntLE(seqid).writeShortLE(FecHeader.TYPE_PARITY).writeZero(34));
            }
            assertThat(visits(link) - before).isLessThanOrEqualTo((long) SHARDS * PeerTable.MAX_VISITS);
            long far = DropCounters.of(link.server().channel()).snapshot().getOrDefault(DropReason.FAR_PARITY, 0L);
            assertThat(far).isEqualTo(seqid > 100 ? SHARDS : 0);
        }
    }

    /** Parity reaches the session that it belongs to, so lost data is recovered without retransmission and without delay. */
    @Test
    void parityFindsItsSessionAmongMany() {
        try (EmbeddedLink link = link()) {
            List<SessionRecorder> sessions = connect(link, 500);
            for (int index : new int[] {0, 250, 499, 3, 0}) {
                KcpChannel session = sessions.get(index).session();
                int[] data = new int[1];
                link.client().lose(datagram -> {
                    boolean isData = FecHeader.type(datagram, datagram.readerIndex()) == FecHeader.TYPE_DATA;
                    // Drops one data shard of each group, starting with the fourth group.
                    return isData && data[0]++ >= 9 && data[0] % SHAPE.dataShards() == 1;
                });
                for (int i = 0; i < 60; i++) {
                    session.writeAndFlush(link.text("m" + i));
                }
                link.settle();
                assertThat(link.accepted(index).messages()).as("session %d", index).hasSizeGreaterThanOrEqualTo(59);
                assertThat(session.collectStats().getNow().counters().retransmissions()).as("session %d", index).isZero();
                link.client().lose(datagram -> false);
                link.advanceMs(1_000);
            }
        }
    }

    @Test
    void eachSessionIsAnsweredWithItsOwnPeersKey() {
        CryptoConfig old = CryptoConfig.kcptun("aes", "old");
        CryptoConfig fresh = CryptoConfig.kcptun("aes-128-gcm", "new");
        try (EmbeddedLink link = EmbeddedLink.create(crypto(fresh.alsoOpening(old)), crypto(fresh));
            EmbeddedLink other = EmbeddedLink.create(crypto(old), crypto(old))) {
            SessionRecorder first = link.connect(1);
            SessionRecorder second = other.connect(2);
            for (int i = 0; i < 6; i++) {
                first.session().writeAndFlush(link.text("first" + i));
                second.session().writeAndFlush(other.text("second" + i));
                for (ByteBuf datagram : other.client().take()) {
                    link.server().receive(EmbeddedLink.CLIENT_ADDRESS, datagram);
                }
                for (ByteBuf datagram : link.client().take()) {
                    link.server().receive(EmbeddedLink.CLIENT_ADDRESS, datagram);
                }
                link.accepted().forEach(session -> session.session().writeAndFlush(link.text("answer")));
                for (ByteBuf datagram : link.server().take()) {
                    other.client().receive(EmbeddedLink.SERVER_ADDRESS, datagram.copy());
                    link.client().receive(EmbeddedLink.SERVER_ADDRESS, datagram);
                }
            }
            assertThat(first.messages()).hasSize(6).containsOnly("answer");
            assertThat(second.messages()).hasSize(6).containsOnly("answer");
        }
    }

    private static Consumer<Channel> crypto(CryptoConfig config) {
        return channel -> channel.pipeline().addLast(new CryptoCodec(config)).addLast(new FecCodec(null));
    }
}
