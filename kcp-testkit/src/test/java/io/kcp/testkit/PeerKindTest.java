package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.KcpInternals;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.internal.congestion.BbrCongestionControl;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how the two kinds of endpoints announce themselves and close. */
class PeerKindTest {

    private static final LinkProfile LINK = LinkProfile.broadband().lossProbability(0.05).build();

    /** Value of {@code sn} in a WASK with which this library announces itself. */
    private static final int SUPPORT_SN = 0x4B435031;

    private int queries;

    private static KcpPairBuilder pair(PeerKind ofA, PeerKind ofB) {
        return KcpPair.builder(1).configs(KcpConfig.fast3()).links(LINK).peers(ofA, ofB);
    }

    private void countQueries(ByteBuf datagram) {
        ByteBuf segments = datagram.duplicate();
        while (segments.readableBytes() >= SegmentHeader.LENGTH) {
            int offset = segments.readerIndex();
            boolean isQuery = SegmentHeader.cmd(segments, offset) == SegmentHeader.CMD_WASK
                && SegmentHeader.sn(segments, offset) == SUPPORT_SN;
            queries += isQuery ? 1 : 0;
            segments.skipBytes(SegmentHeader.LENGTH + (int) SegmentHeader.len(segments, offset));
        }
    }

    @ParameterizedTest
    @CsvSource({"THIS_LIBRARY, THIS_LIBRARY, true, true", "THIS_LIBRARY, OTHER_KCP, true, false", "OTHER_KCP, THIS_LIBRARY, false, false",
        "OTHER_KCP, OTHER_KCP, false, false"})
    void onlyThisLibraryAnnouncesItselfAndRecognizesItsPeers(PeerKind ofA, PeerKind ofB, boolean announces, boolean recognizes) {
        try (KcpPair pair = pair(ofA, ofB).build()) {
            pair.linkFromA().addObserver((datagram, fate, nowUs) -> countQueries(datagram));
            pair.sendFromA(100_000);
            pair.sendFromB(100_000);
            pair.assertCompletes(60_000);
            assertThat(queries > 0).as("announces itself").isEqualTo(announces);
            assertThat(pair.a().kcp().closeNotice().isPeerListening()).as("recognizes its peer").isEqualTo(recognizes);
        }
    }

    /** The round trip takes 20.6 ms and the time of a datagram on the link. */
    @ParameterizedTest
    @EnumSource
    void clockHasTheResolutionOfTheKind(PeerKind kind) {
        LinkProfile link = LinkProfile.builder().rateBitsPerSecond(20_000_000).delayMs(10.3).build();
        try (KcpPair pair = KcpPair.builder(1).configs(KcpConfig.auto()).links(link).peers(kind).build()) {
            pair.sendFromA(100_000);
            pair.assertCompletes(10_000);
            long minRttUs = ((BbrCongestionControl) KcpInternals.congestion(pair.a().kcp())).minRttUs();
            if (kind == PeerKind.THIS_LIBRARY) {
                assertThat(minRttUs).isBetween(20_600L, 20_999L);
            } else {
                assertThat(minRttUs % 1_000).as("%d us", minRttUs).isZero();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closedEndpointNotifiesItsPeer(boolean layers) {
        KcpPairBuilder builder = pair(PeerKind.THIS_LIBRARY, PeerKind.THIS_LIBRARY);
        if (layers) {
            builder.fec(FecConfig.of(10, 3)).crypto(CryptoConfig.of("aes-128-gcm", new byte[16]));
        }
        try (KcpPair pair = builder.build()) {
            pair.sendFromA(20_000);
            pair.sendFromB(20_000);
            pair.assertCompletes(10_000);
            long closedAtMs = pair.nowMs();
            pair.a().close();
            pair.runForMs(1_000);
            assertThat(pair.b().isClosedByPeer()).isTrue();
            assertThat(pair.b().closedAtMs()).isBetween(closedAtMs + 25, closedAtMs + 35);
            assertThat(pair.b().linkState()).isEqualTo(LinkState.ALIVE);
            assertThat(pair.a().isClosedByPeer()).isFalse();
        }
    }

    @Test
    void otherPeersAreNotNotified() {
        try (KcpPair pair = pair(PeerKind.THIS_LIBRARY, PeerKind.OTHER_KCP).build()) {
            pair.sendFromA(20_000);
            pair.sendFromB(20_000);
            pair.assertCompletes(10_000);
            pair.a().close();
            pair.runForMs(1_000);
            assertThat(pair.b().isClosedByPeer()).isFalse();
            assertThat(pair.b().closedAtMs()).isEqualTo(-1);
        }
    }

    @Test
    void endpointThatIsNotReadFromClosesAfterItsPeer() {
        try (KcpPair pair = pair(PeerKind.THIS_LIBRARY, PeerKind.THIS_LIBRARY).build()) {
            pair.sendFromA(20_000);
            pair.sendFromB(20_000);
            pair.assertCompletes(10_000);
            pair.b().application().reading(false);
            pair.sendFromA(TransferPlan.ofMessages(2, 1, 1_000));
            pair.runForMs(500);
            pair.a().close();
            pair.runForMs(500);
            assertThat(pair.b().isClosedByPeer()).isTrue();
            assertThat(pair.b().closedAtMs()).isEqualTo(-1);
            pair.b().application().reading(true);
            pair.runForMs(1);
            assertThat(pair.b().closedAtMs()).isPositive();
            assertThat(pair.b().application().readBytes()).isEqualTo(1_000);
        }
    }
}
