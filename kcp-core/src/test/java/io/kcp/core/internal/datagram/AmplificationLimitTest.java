package io.kcp.core.internal.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import io.kcp.core.conversation.DrivenKcp;
import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An unvalidated conversation sends at most three times the bytes that it has received. */
class AmplificationLimitTest {

    private static final int BASE = 0x5EED5EED;
    private static final int HEADER_BYTES = 24;
    private static final int REQUEST_BYTES = 30;
    private static final int FACTOR = 3;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final KcpConfig config = KcpConfig.fast3();
    private int overheadBytes;
    private long receivedBytes;
    private long sentBytes;

    private DrivenKcp limited() {
        DrivenKcp driven = DrivenKcp.limited(leaks, config, BASE, 0, overheadBytes);
        driven.output.onWrite(datagram -> {
            sentBytes += datagram.length + overheadBytes;
            if (driven.kcp.amplificationLimit().isActive()) {
                assertThat(sentBytes).isLessThanOrEqualTo(FACTOR * receivedBytes);
            }
        });
        return driven;
    }

    private void input(DrivenKcp driven, WireSegment... segments) {
        receivedBytes += WireSegment.datagram(segments).length;
        assertThat(driven.input(segments)).isEqualTo(InputResult.ACCEPTED);
    }

    private static WireSegment request(int ts) {
        return WireSegment.push(0, ts, new byte[REQUEST_BYTES]);
    }

    private static void greet(DrivenKcp driven) {
        driven.send(new byte[100_000]);
        driven.send(new byte[80_000]);
    }

    private static WireSegment probeIn(List<DrivenKcp.Sent> sent) {
        WireSegment probe = null;
        for (DrivenKcp.Sent each : sent) {
            if (each.segment().isPush() && each.segment().payload().length == 0) {
                probe = each.segment();
            }
        }
        return probe;
    }

    private static long payloadBytes(List<DrivenKcp.Sent> sent) {
        return sent.stream().mapToLong(each -> each.segment().payload().length).sum();
    }

    // ---- attacks

    @ParameterizedTest
    @ValueSource(ints = {0, 20, 36})
    void spoofedFirstSegmentTriggersAtMostThreeTimesItsBytes(int lowerLayersBytes) {
        overheadBytes = lowerLayersBytes;
        DrivenKcp driven = limited();
        greet(driven);
        WireSegment opener = WireSegment.push(0, 7, new byte[0]);
        for (int repeated = 0; repeated < 4; repeated++) {
            driven.kcp.amplificationLimit().onReceived(lowerLayersBytes);
            receivedBytes += lowerLayersBytes;
            input(driven, opener);
            driven.runFor(9_000);
        }
        assertThat(sentBytes).isPositive().isLessThanOrEqualTo(FACTOR * receivedBytes);
        assertThat(driven.kcp.isPeerValidated()).isFalse();
    }

    @Test
    void sessionOfASpoofedAddressClosesAfterTheDeadPeerTimeout() {
        DrivenKcp driven = limited();
        greet(driven);
        WireSegment opener = WireSegment.push(0, 7, new byte[0]);
        for (int repeated = 0; repeated < 4; repeated++) {
            input(driven, opener);
            driven.runFor(9_000);
        }
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.PEER_TIMEOUT);
    }

    @Test
    void forgedUnaDoesNotValidateThePeer() {
        DrivenKcp driven = limited();
        driven.send(new byte[1]);
        greet(driven);
        input(driven, request(1));
        driven.runFor(100);
        for (int una = 1; una < 50; una++) {
            WireSegment forged = request(una).withUna(Math.min(una, 1));
            input(driven, forged);
            driven.runFor(100);
        }
        assertThat(driven.kcp.isPeerValidated()).isFalse();
        assertThat(sentBytes).isLessThanOrEqualTo(FACTOR * receivedBytes);
    }

    @Test
    void guessedTsDoesNotValidateThePeer() {
        DrivenKcp driven = limited();
        driven.send(new byte[8]);
        input(driven, request(1));
        driven.runFor(5_000);
        int attempts = 0;
        for (int ts = BASE + 1; ts < BASE + 5_000; ts += 2) {
            WireSegment guess = WireSegment.ack(0, ts, 0);
            receivedBytes += HEADER_BYTES;
            driven.input(guess);
            attempts += driven.kcp.isPeerValidated() ? 0 : 1;
            if (driven.kcp.isPeerValidated()) {
                break;
            }
        }
        assertThat(attempts).as("only two of 5,000 values validate the peer").isGreaterThan(10);
    }

    @Test
    void acksOfIntermediateTransmissionsAreIgnored() {
        DrivenKcp driven = limited();
        driven.send(new byte[8]);
        input(driven, request(1));
        List<Integer> sentAtMs = new ArrayList<>();
        for (DrivenKcp.Sent sent : driven.runFor(3_000)) {
            if (sent.segment().isPush() && sent.segment().payload().length > 0) {
                sentAtMs.add(sent.atMs());
            }
        }
        assertThat(sentAtMs).hasSizeGreaterThan(2);
        input(driven, WireSegment.ack(0, BASE + sentAtMs.get(1), 0));
        assertThat(driven.kcp.isPeerValidated()).isFalse();
        input(driven, WireSegment.ack(0, BASE + sentAtMs.get(sentAtMs.size() - 1), 0));
        assertThat(driven.kcp.isPeerValidated()).isTrue();
    }

    @Test
    void responsesToWindowProbesStayWithinTheLimit() {
        DrivenKcp driven = limited();
        greet(driven);
        input(driven, request(1));
        for (int i = 0; i < 200; i++) {
            input(driven, WireSegment.wask());
            input(driven, WireSegment.push(100_000, i, new byte[0]));
            driven.runFor(50);
        }
        assertThat(sentBytes).isLessThanOrEqualTo(FACTOR * receivedBytes);
        assertThat(driven.kcp.isPeerValidated()).isFalse();
    }

    @Test
    void keepaliveProbesStayWithinTheLimit() {
        DrivenKcp driven = limited();
        input(driven, WireSegment.push(0, 7, new byte[0]));
        for (int i = 0; i < 20; i++) {
            driven.kcp.ping(driven.nowMs());
            driven.runFor(1_000);
        }
        assertThat(sentBytes).isPositive().isLessThanOrEqualTo(FACTOR * receivedBytes);
    }

    @Test
    @Tag("slow")
    void randomForgedTrafficStaysWithinTheLimit() {
        for (long seed = 0; seed < 200; seed++) {
            sentBytes = 0;
            receivedBytes = 0;
            SplittableRandom random = new SplittableRandom(seed);
            overheadBytes = random.nextInt(40);
            DrivenKcp driven = limited();
            input(driven, request(1));
            for (int step = 0; step < 200; step++) {
                if (random.nextInt(4) == 0) {
                    driven.send(new byte[random.nextInt(5_000)]);
                }
                WireSegment segment = random.nextBoolean() ? WireSegment.push(random.nextInt(140), step, new byte[random.nextInt(60)])
                    : random.nextBoolean() ? WireSegment.wask() : WireSegment.ack(0, random.nextInt(), 0);
                WireSegment forged = segment.withUna(random.nextInt(3)).withWnd(random.nextInt(200));
                if (driven.input(forged) == InputResult.ACCEPTED) {
                    receivedBytes += WireSegment.datagram(forged).length;
                }
                driven.receiveAll();
                driven.runFor(random.nextInt(300));
            }
            assertThat(driven.kcp.isPeerValidated()).isFalse();
        }
    }

    // ---- legitimate peers

    @ParameterizedTest
    @ValueSource(ints = {0, 20})
    void echoOfAProbeValidatesThePeer(int firstSn) {
        DrivenKcp driven = DrivenKcp.limited(leaks, config, BASE, -firstSn, 0);
        greet(driven);
        driven.input(request(1).withUna(-firstSn));
        List<DrivenKcp.Sent> sent = driven.runFor(40);
        WireSegment probe = probeIn(sent);
        assertThat(sent).hasSize(1);
        assertThat(probe).isNotNull();
        assertThat(probe.sn()).as("a segment that every peer regards as a duplicate").isEqualTo(-firstSn - 1);
        driven.input(WireSegment.ack(probe.sn(), probe.ts(), -firstSn));
        assertThat(driven.kcp.isPeerValidated()).isTrue();
        assertThat(driven.kcp.smoothedRttMs()).as("round-trip time measured with the probe").isEqualTo(40);
        assertThat(payloadBytes(driven.runFor(0))).isGreaterThan(30_000);
    }

    @Test
    void fragmentsAreNotChanged() {
        DrivenKcp driven = limited();
        driven.send(new byte[5 * driven.kcp.mssBytes()]);
        input(driven, request(1));
        WireSegment probe = probeIn(driven.runFor(40));
        input(driven, WireSegment.ack(probe.sn(), probe.ts(), 0));
        List<DrivenKcp.Sent> sent = driven.runFor(0);
        assertThat(sent.stream().map(DrivenKcp.Sent::segment).filter(WireSegment::isPush).map(WireSegment::frg))
            .containsExactly(4, 3, 2, 1, 0);
    }

    @Test
    void shortReplyIsSentImmediately() {
        DrivenKcp driven = limited();
        input(driven, request(1));
        driven.send(new byte[REQUEST_BYTES]);
        assertThat(payloadBytes(driven.runFor(0))).isEqualTo(REQUEST_BYTES);
    }

    @Test
    void newestSegmentIsNotAcknowledgedWhileDataWaits() {
        DrivenKcp driven = limited();
        greet(driven);
        input(driven, request(1), WireSegment.push(1, 1, new byte[1]), WireSegment.push(2, 2, new byte[1]));
        for (DrivenKcp.Sent sent : driven.runFor(2_000)) {
            assertThat(sent.segment().una()).isEqualTo(2);
            assertThat(sent.segment().isAck() && sent.segment().sn() == 2).isFalse();
        }
        assertThat(sentBytes).isPositive();
    }

    @Test
    void retransmissionsOfThePeerAllowFurtherProbes() {
        DrivenKcp driven = limited();
        greet(driven);
        input(driven, WireSegment.push(0, 1, new byte[0]));
        assertThat(driven.runFor(20_000)).hasSize(3);
        input(driven, WireSegment.push(0, 20_000, new byte[0]));
        List<DrivenKcp.Sent> sent = driven.runFor(5_000);
        assertThat(probeIn(sent)).isNotNull();
    }

    @Test
    void peerThatNeverEchoesIsAcknowledgedAfterEightProbes() {
        DrivenKcp driven = limited();
        for (int copy = 0; copy < 8; copy++) {
            input(driven, request(copy));
            assertThat(driven.runFor(300)).singleElement().satisfies(probe -> {
                assertThat(probe.segment().isPush()).as("a probe is sent instead of an ACK").isTrue();
                assertThat(probe.segment().payload()).isEmpty();
                assertThat(probe.segment().una()).isZero();
            });
        }
        input(driven, request(8));
        assertThat(driven.runFor(300)).extracting(sent -> sent.segment().una()).containsOnly(1);
        input(driven, WireSegment.push(1, 5_000, new byte[1]));
        assertThat(driven.runFor(0)).singleElement().satisfies(later -> {
            assertThat(later.segment().isAck()).isTrue();
            assertThat(later.segment().una()).isEqualTo(2);
        });
    }

    @Test
    void receiveOnlyConversationSendsNoMoreThanItsAcknowledgements() {
        DrivenKcp driven = limited();
        input(driven, request(1));
        input(driven, request(2));
        driven.runFor(0);
        input(driven, request(3));
        List<DrivenKcp.Sent> sent = driven.runFor(900);
        assertThat(sent).as("one probe for each flush that would acknowledge").hasSize(1);
        WireSegment probe = probeIn(sent);
        input(driven, WireSegment.ack(probe.sn(), probe.ts(), 0));
        List<DrivenKcp.Sent> acknowledgement = driven.runFor(5_000);
        assertThat(acknowledgement).hasSize(1);
        assertThat(acknowledgement.get(0).segment().cmd()).isEqualTo(WireSegment.WINS);
        assertThat(acknowledgement.get(0).atMs()).isEqualTo(900);
        assertThat(acknowledgement.get(0).segment().una()).isEqualTo(1);
    }

    @Test
    void fastEchoIsFollowedByAnAck() {
        DrivenKcp driven = limited();
        input(driven, request(1));
        WireSegment probe = probeIn(driven.runFor(30));
        input(driven, WireSegment.ack(probe.sn(), probe.ts(), 0));
        assertThat(driven.flush()).singleElement().satisfies(ack -> {
            assertThat(ack.isAck()).isTrue();
            assertThat(ack.sn()).isZero();
            assertThat(ack.ts()).isEqualTo(1);
            assertThat(ack.una()).isEqualTo(1);
        });
    }

    @Test
    void deferredAcknowledgementIsSentOnceThePeerIsValidated() {
        DrivenKcp driven = limited();
        driven.send(new byte[8]);
        input(driven, request(1));
        driven.runFor(0);
        driven.advance(40);
        input(driven, WireSegment.ack(0, BASE, 1));
        List<DrivenKcp.Sent> sent = driven.runFor(10);
        assertThat(sent).hasSize(1);
        assertThat(sent.get(0).segment().una()).isEqualTo(1);
        assertThat(driven.kcp.owesAcknowledgement()).isFalse();
    }

    @Test
    void closingConversationAcknowledgesEverything() {
        DrivenKcp driven = limited();
        input(driven, request(1));
        driven.runFor(0);
        assertThat(driven.kcp.owesAcknowledgement()).isTrue();
        driven.kcp.amplificationLimit().acknowledgeAll();
        assertThat(driven.flush()).extracting(WireSegment::una).containsExactly(1);
    }

    @Test
    void unaNeverDecreases() {
        DrivenKcp driven = limited();
        for (int copy = 0; copy < 10; copy++) {
            input(driven, request(copy));
            driven.runFor(100);
        }
        greet(driven);
        input(driven, request(1_300));
        for (DrivenKcp.Sent sent : driven.runFor(1_000)) {
            assertThat(sent.segment().una()).isEqualTo(1);
        }
    }

    @Test
    void segmentAboveAGapIsAcknowledgedOnceThePeerIsValidated() {
        DrivenKcp driven = limited();
        input(driven, request(1));
        input(driven, WireSegment.push(2, 3, new byte[1]));
        WireSegment probe = probeIn(driven.runFor(100));
        input(driven, WireSegment.ack(probe.sn(), probe.ts(), 0));
        assertThat(driven.flush().stream().filter(WireSegment::isAck).map(WireSegment::sn)).containsExactly(2);
    }

    @Test
    void withoutLimitNoAcknowledgementIsDeferred() {
        DrivenKcp driven = new DrivenKcp(leaks, config);
        driven.input(request(1));
        assertThat(driven.runFor(0)).hasSize(1);
        driven.send(new byte[100_000]);
        assertThat(payloadBytes(driven.runFor(0))).isGreaterThan(30_000);
        assertThat(driven.kcp.amplificationLimit()).isSameAs(AmplificationLimit.NONE);
    }

    @Test
    void blockedConversationIsNotFlushedContinuously() {
        DrivenKcp driven = limited();
        greet(driven);
        input(driven, request(1));
        int flushes = 0;
        int endMs = driven.nowMs() + 29_000;
        for (int wait = driven.kcp.nextDeadline(driven.nowMs()); driven.nowMs() + wait < endMs;
            wait = driven.kcp.nextDeadline(driven.nowMs())) {
            driven.advance(wait);
            driven.kcp.flush(driven.nowMs());
            driven.kcp.linkState(driven.nowMs());
            flushes++;
        }
        assertThat(flushes).isLessThan(60);
    }

    @Test
    void otherLayersSpendAtMostHalfOfTheRemainingBytes() {
        DrivenKcp driven = limited();
        AmplificationLimit limit = driven.kcp.amplificationLimit();
        assertThat(limit.trySpend(1)).isFalse();
        driven.input(request(1));
        assertThat(limit.trySpend(82)).isFalse();
        assertThat(limit.trySpend(81)).isTrue();
        assertThat(limit.trySpend(42)).isFalse();
        limit.onReceived(1);
        assertThat(limit.trySpend(42)).isTrue();
    }

    @Test
    void messagesArriveIntactThroughTheLimit() {
        DrivenKcp server = limited();
        DrivenKcp client = new DrivenKcp(leaks, config);
        client.send(new byte[REQUEST_BYTES]);
        byte[] reply = new byte[50_000];
        new SplittableRandom(1).nextBytes(reply);
        server.send(reply);
        server.send(new byte[] {1});
        receivedBytes = Long.MAX_VALUE / FACTOR;
        for (int i = 0; i < 100; i++) {
            DrivenKcp.exchange(client, server);
            server.receiveAll();
            client.advance(10);
            server.advance(10);
        }
        List<byte[]> messages = client.receiveAll();
        assertThat(messages).hasSize(2);
        assertThat(Arrays.equals(messages.get(0), reply)).isTrue();
    }
}
