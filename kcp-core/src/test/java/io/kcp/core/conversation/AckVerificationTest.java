package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An ACK is accepted only with a {@code ts} that was sent, and a {@code una} only after a plausible time. */
class AckVerificationTest {

    private static final int BASE = 0x5EED5EED;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final KcpConfig config = KcpConfig.fast3();

    // ---- ACK

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 5_000, -5_000, 1_000_000, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void ackWithForgedTsAcknowledgesNothing(int error) {
        DrivenKcp driven = driven();
        driven.sendSmall(1);
        driven.flush();
        driven.advance(40);
        assertThat(driven.input(WireSegment.ack(0, BASE + error, 0))).isEqualTo(InputResult.ACCEPTED);
        assertThat(driven.kcp.waitingSegments()).isEqualTo(1);
        assertThat(driven.kcp.unacknowledgedBytes()).isEqualTo(1);
        assertThat(driven.kcp.isAcknowledged()).isFalse();
        assertThat(driven.kcp.smoothedRttMs()).isZero();
        assertThat(driven.kcp.stats().unverifiedAcknowledgements()).isEqualTo(1);
    }

    @Test
    void segmentOfAForgedAckIsRetransmittedUntilItIsAcknowledged() {
        DrivenKcp driven = driven();
        driven.sendSmall(1);
        driven.flush();
        driven.advance(40);
        driven.input(WireSegment.ack(0, 0, 0));
        assertThat(driven.runUntil(200)).extracting(DrivenKcp.Sent::atMs).containsExactly(200);
        driven.advance(40);
        driven.input(WireSegment.ack(0, BASE + 200, 1));
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void ackOfAnyTransmissionIsAccepted() {
        for (int sentAtMs : new int[] {0, 200}) {
            DrivenKcp driven = driven();
            driven.sendSmall(1);
            driven.runUntil(210);
            driven.input(WireSegment.ack(0, BASE + sentAtMs, 0));
            assertThat(driven.kcp.unacknowledgedBytes()).as("copy of %d ms", sentAtMs).isZero();
            assertThat(driven.kcp.stats().unverifiedAcknowledgements()).isZero();
        }
    }

    @Test
    void recoveredAckIsVerifiedLikeAnyOther() {
        DrivenKcp driven = driven();
        driven.sendSmall(2);
        driven.flush();
        driven.advance(40);
        driven.inputRecovered(WireSegment.ack(0, BASE + 7, 0));
        assertThat(driven.kcp.unacknowledgedBytes()).isEqualTo(2);
        driven.inputRecovered(WireSegment.ack(0, BASE, 1));
        assertThat(driven.kcp.unacknowledgedBytes()).isEqualTo(1);
    }

    @Test
    void ackOfAnAcknowledgedSegmentIsNotCountedAsForged() {
        DrivenKcp driven = driven();
        driven.sendSmall(3);
        driven.flush();
        driven.advance(40);
        driven.input(WireSegment.ack(1, BASE, 0), WireSegment.ack(1, BASE + 9, 0), WireSegment.ack(0, BASE, 2));
        driven.input(WireSegment.ack(0, BASE + 9, 2));
        assertThat(driven.kcp.stats().unverifiedAcknowledgements()).isZero();
        assertThat(driven.kcp.waitingSegments()).isEqualTo(1);
    }

    @Test
    void forgedAcksDoNotStopATransfer() {
        SplittableRandom random = new SplittableRandom(1);
        DrivenKcp sender = driven();
        DrivenKcp receiver = new DrivenKcp(leaks, config);
        DrivenPair pair = new DrivenPair(sender, receiver, 20, number -> number % 3 == 0);
        sender.sendSmall(120);
        for (int round = 0; round < 50; round++) {
            for (int sn = sender.kcp.waitingSegments(); sn >= 0; sn--) {
                sender.input(WireSegment.ack(sn % 30, 0, 0));
                sender.input(WireSegment.ack(sn % 30, random.nextInt(), 0));
            }
            sender.runFor(0);
        }
        pair.runUntilIdle(60_000);
        assertThat(pair.receivedByOther()).hasSize(120);
    }

    // ---- una

    @Test
    void unaBeforeHalfARoundTripIsIgnored() {
        DrivenKcp driven = withRoundTripOf(40);
        driven.sendSmall(2);
        driven.flush();
        driven.advance(19);
        driven.input(WireSegment.wins(1).withUna(3));
        assertThat(driven.kcp.waitingSegments()).isEqualTo(2);
        assertThat(driven.kcp.remoteWindow()).as("the window of the ignored una").isEqualTo(128);
        assertThat(driven.kcp.stats().unverifiedAcknowledgements()).isEqualTo(1);
        driven.input(WireSegment.wins(9).withUna(1));
        assertThat(driven.kcp.remoteWindow()).as("a forged una does not make a later una stale").isEqualTo(9);
        driven.advance(1);
        driven.input(WireSegment.wins(64).withUna(3));
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void payloadBesideIgnoredUnaIsDelivered() {
        DrivenKcp driven = withRoundTripOf(40);
        driven.sendSmall(1);
        driven.flush();
        driven.input(WireSegment.push(0, 0, new byte[] {7}).withUna(2));
        assertThat(driven.receive()).containsExactly(7);
        assertThat(driven.kcp.waitingSegments()).isEqualTo(1);
    }

    @Test
    void verifiedAckShortensTheKnownRoundTrip() {
        DrivenKcp driven = withRoundTripOf(400);
        driven.sendSmall(2);
        driven.flush();
        driven.advance(2);
        driven.input(WireSegment.wins(64).withUna(3));
        assertThat(driven.kcp.waitingSegments()).isEqualTo(2);
        driven.input(WireSegment.ack(2, BASE + 400, 3));
        assertThat(driven.kcp.isIdle()).isTrue();
        driven.sendSmall(1);
        driven.flush();
        driven.advance(2);
        driven.input(WireSegment.wins(64).withUna(4));
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void unaCoversSegmentsWhoseAckWasVerified() {
        DrivenKcp driven = withRoundTripOf(400);
        driven.sendSmall(2);
        driven.flush();
        driven.advance(2);
        driven.input(WireSegment.ack(2, BASE + 400, 1), WireSegment.ack(1, BASE + 400, 3));
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void unaIsNotBoundedOnALoopback() {
        DrivenKcp driven = withRoundTripOf(1);
        driven.sendSmall(2);
        driven.flush();
        driven.input(WireSegment.wins(64).withUna(3));
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"60000, 60000", "60001, 0"})
    void roundTripOfMoreThanAMinuteIsNoSample(int roundTripMs, int smoothedMs) {
        DrivenKcp driven = driven();
        driven.sendSmall(1);
        driven.flush();
        driven.advance(roundTripMs);
        driven.input(WireSegment.ack(0, BASE, 1));
        assertThat(driven.kcp.isIdle()).isTrue();
        assertThat(driven.kcp.rtt().smoothedRttMs()).isEqualTo(smoothedMs);
    }

    private DrivenKcp driven() {
        return new DrivenKcp(leaks, config, 0, BASE, 0, 0);
    }

    /** Returns a conversation of which one segment was acknowledged after the given time. */
    private DrivenKcp withRoundTripOf(int roundTripMs) {
        DrivenKcp driven = driven();
        driven.kcp.reconfigure(config.toBuilder().minRtoMs(1_000).build());
        driven.sendSmall(1);
        driven.flush();
        driven.advance(roundTripMs);
        driven.input(WireSegment.ack(0, BASE, 1));
        assertThat(driven.kcp.isIdle()).isTrue();
        return driven;
    }
}
