package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.PathProof;
import io.kcp.core.internal.base.SerialNumber;
import io.kcp.core.internal.loss.TimeoutRounds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A datagram from an unknown address proves that the peer has sent it only if it echoes a timestamp and is not a replay. */
class PeerPathTest {

    private static final int MIN_DISTANCE = 1 << 20;
    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private static final int RANDOM = 0x12345678;

    private final KcpConfig config = KcpConfig.fast3();
    private final DrivenKcp server = new DrivenKcp(leaks, config, 0, 0x5EED5EED, 0, 0);
    private final DrivenKcp client = new DrivenKcp(leaks, config, 0, 0x0DDBA11, 0, 0);

    private PathProof examine(byte[] datagram) {
        ByteBuf buffer = Unpooled.wrappedBuffer(datagram);
        return server.kcp.path().examine(buffer);
    }

    private PathProof examineAnswer(byte[] datagram) {
        return server.kcp.path().examineAnswer(Unpooled.wrappedBuffer(datagram));
    }

    private static byte[] bytes(List<WireSegment> segments) {
        return WireSegment.datagram(segments.toArray(new WireSegment[0]));
    }

    /** Advances both clocks and returns the datagram that the client sends because no datagrams arrive. */
    private byte[] silence(int ms) {
        server.advance(ms);
        List<WireSegment> sent = new ArrayList<>();
        client.runFor(ms).forEach(each -> sent.add(each.segment()));
        return bytes(sent);
    }

    private void deliverToClient() {
        client.inputBytes(bytes(server.flush()));
        client.receiveAll();
    }

    @Test
    void firstAcknowledgementProvesTheAddress() {
        server.sendSmall(1);
        deliverToClient();
        byte[] acknowledgement = bytes(client.flush());
        assertThat(examine(acknowledgement)).isEqualTo(PathProof.PROOF);
        server.inputBytes(acknowledgement);
        assertThat(examine(acknowledgement)).as("replay").isEqualTo(PathProof.NONE);
    }

    @Test
    void wrongTimestampProvesNothing() {
        server.sendSmall(1);
        server.flush();
        assertThat(examine(WireSegment.ack(0, 12_345, 0).bytes())).isEqualTo(PathProof.WRONG_ECHO);
        assertThat(examine(WireSegment.ack(0, 0x5EED5EED, 0).bytes())).isEqualTo(PathProof.PROOF);
        server.inputBytes(WireSegment.ack(0, 0x5EED5EED, 0).withUna(1).bytes());
        assertThat(examine(WireSegment.ack(0, 12_345, 0).withUna(1).bytes())).as("already acknowledged").isEqualTo(PathProof.WRONG_ECHO);
    }

    @Test
    void dataWithoutAnEchoProvesNothing() {
        assertThat(examine(WireSegment.push(0, 5, new byte[] {1}).bytes())).isEqualTo(PathProof.NONE);
        assertThat(examine(WireSegment.ack(0, 0, 0).bytes())).as("acknowledges no segment that was sent").isEqualTo(PathProof.NONE);
        assertThat(examine(new byte[] {1, 2, 3})).isEqualTo(PathProof.NONE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void repeatedAcknowledgementProvesTheAddressOnce(boolean withData) {
        client.kcp.path().repeatAcknowledgements();
        if (withData) {
            server.sendSmall(3);
        } else {
            server.kcp.ping(server.nowMs());
        }
        deliverToClient();
        server.inputBytes(bytes(client.flush()));
        byte[] repeated = silence(100);
        assertThat(examine(repeated)).isEqualTo(PathProof.PROOF);
        server.inputBytes(repeated);
        assertThat(examine(repeated)).as("replay").isEqualTo(PathProof.NONE);
        byte[] again = silence(200);
        assertThat(examine(again)).isEqualTo(PathProof.PROOF);
        server.inputBytes(again);
        assertThat(examine(repeated)).isEqualTo(PathProof.NONE);
    }

    @Test
    void acknowledgementIsRepeatedAtGrowingIntervals() {
        client.kcp.path().repeatAcknowledgements();
        server.sendSmall(1);
        deliverToClient();
        client.flush();
        List<Integer> times = new ArrayList<>();
        for (DrivenKcp.Sent sent : client.runFor(60_000)) {
            if (sent.segment().cmd() == WireSegment.ACK) {
                times.add(sent.atMs());
            }
        }
        assertThat(times).containsExactly(100, 200, 400, 800, 1_600, 3_200, 6_400);
    }

    @Test
    void responseEndsTheRepetitions() {
        client.kcp.path().repeatAcknowledgements();
        server.sendSmall(1);
        deliverToClient();
        server.inputBytes(bytes(client.flush()));
        server.inputBytes(silence(100));
        client.inputBytes(bytes(server.flush()));
        assertThat(client.runFor(60_000)).isEmpty();
    }

    @Test
    void onlyTheEchoAnswersAChallenge() {
        server.kcp.path().challenge(server.nowMs(), RANDOM);
        List<WireSegment> challenge = server.flush();
        assertThat(challenge).extracting(WireSegment::cmd).containsExactly(WireSegment.WASK, WireSegment.PUSH);
        client.inputBytes(bytes(challenge));
        byte[] answer = bytes(client.flush());
        assertThat(examineAnswer(answer)).isEqualTo(PathProof.PROOF);
        WireSegment question = challenge.get(1);
        assertThat(examineAnswer(WireSegment.ack(question.sn(), question.ts() + 1, 0).bytes())).isEqualTo(PathProof.WRONG_ECHO);
        assertThat(examineAnswer(WireSegment.ack(question.sn() - 1, question.ts(), 0).bytes())).isEqualTo(PathProof.WRONG_ECHO);
        assertThat(examineAnswer(WireSegment.datagram(WireSegment.ack(question.sn() - 1, question.ts(), 0),
            WireSegment.ack(question.sn(), question.ts(), 0)))).as("many guesses").isEqualTo(PathProof.WRONG_ECHO);
        assertThat(examineAnswer(WireSegment.ack(-100, question.ts(), 0).bytes())).as("old segment").isEqualTo(PathProof.NONE);
        server.kcp.path().cancelChallenge();
        assertThat(examineAnswer(answer)).isEqualTo(PathProof.NONE);
        assertThat(examine(answer)).as("an unanswered challenge proves nothing").isEqualTo(PathProof.NONE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, MIN_DISTANCE, MIN_DISTANCE + 70_000, Integer.MAX_VALUE, -1})
    void challengeHasARandomSnOfAnOldSegment(int firstSn) {
        SplittableRandom random = new SplittableRandom(1);
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            DrivenKcp sender = new DrivenKcp(leaks, config, 0, 0, firstSn, 0);
            sender.kcp.path().challenge(0, random.nextInt());
            int sn = sender.flush().get(1).sn();
            assertThat(SerialNumber.diff(firstSn, sn)).isBetween(MIN_DISTANCE, 1 << 30);
            assertThat(Integer.compareUnsigned(sn, KcpConfig.MAX_WINDOW_SEGMENTS)).as("outside the initial window").isPositive();
            numbers.add(sn);
            sender.kcp.release();
        }
        assertThat(numbers).hasSizeGreaterThan(990);
    }

    @Test
    void lateResponseToThePreviousChallengeIsNoWrongAnswer() {
        server.kcp.path().challenge(server.nowMs(), RANDOM);
        WireSegment first = server.flush().get(1);
        server.advance(5_000);
        server.kcp.path().challenge(server.nowMs(), RANDOM + 1);
        WireSegment second = server.flush().get(1);
        assertThat(examineAnswer(WireSegment.ack(first.sn(), first.ts(), 0).bytes())).isEqualTo(PathProof.NONE);
        assertThat(examineAnswer(WireSegment.ack(second.sn(), second.ts(), 0).bytes())).isEqualTo(PathProof.PROOF);
    }

    @Test
    void moveRetransmitsTheDataInFlight() {
        server.sendSmall(5);
        assertThat(server.flush()).hasSize(5);
        server.inputBytes(WireSegment.ack(2, 0x5EED5EED, 0).bytes());
        assertThat(server.flush()).isEmpty();
        server.kcp.path().onMoved(server.nowMs());
        assertThat(server.flush()).extracting(WireSegment::sn).containsExactly(0, 1, 3, 4);
    }

    @Test
    void moveRetransmitsOnlyTheOldestSegmentsImmediately() {
        server.input(WireSegment.wins(1_024));
        server.kcp.reconfigure(config.toBuilder().windows(1_024).build());
        server.sendSmall(200);
        assertThat(server.flush()).hasSize(200);
        server.kcp.path().onMoved(server.nowMs());
        List<WireSegment> first = server.flush();
        assertThat(first).hasSize(TimeoutRounds.TIMEOUTS_PER_ROUND);
        assertThat(first.get(0).sn()).isZero();
        assertThat(first.get(63).sn()).isEqualTo(63);
        assertThat(server.flush()).isEmpty();
    }

    @Test
    void acknowledgementsAfterAMoveReleaseTheOtherSegments() {
        server.input(WireSegment.wins(1_024));
        server.kcp.reconfigure(config.toBuilder().windows(1_024).build());
        server.sendSmall(200);
        server.flush();
        server.advance(20);
        server.kcp.path().onMoved(server.nowMs());
        assertThat(server.flush()).hasSize(TimeoutRounds.TIMEOUTS_PER_ROUND);
        server.advance(20);
        List<Integer> sent = new ArrayList<>();
        for (int sn = 0; sn < TimeoutRounds.TIMEOUTS_PER_ROUND; sn++) {
            server.input(WireSegment.ack(sn, 0x5EED5EED + 20, sn + 1).withWnd(1_024));
        }
        server.runFor(500).forEach(each -> sent.add(each.segment().sn()));
        assertThat(sent).contains(64, 100, 150, 199);
    }

    @Test
    void pendingChallengeIsNoDeadlineWhileTheAmplificationLimitIsActive() {
        DrivenKcp limited = DrivenKcp.limited(leaks, config, 0x5EED5EED, 0, 0);
        limited.input(WireSegment.push(0, 5, new byte[1]));
        limited.runFor(1_000);
        limited.kcp.path().challenge(limited.nowMs(), RANDOM);
        assertThat(limited.kcp.amplificationLimit().isActive()).isTrue();
        assertThat(limited.runFor(50)).isEmpty();
        assertThat(limited.kcp.nextDeadline(limited.nowMs())).isPositive();
    }

    @Test
    void flushWithoutSegmentsSendsControlSegmentsOnly() {
        server.sendSmall(5);
        server.kcp.path().challenge(server.nowMs(), RANDOM);
        server.kcp.flush(server.nowMs(), 0);
        assertThat(server.output.take()).hasSize(1).allSatisfy(datagram -> assertThat(WireSegment.parse(datagram))
            .extracting(WireSegment::cmd).containsExactly(WireSegment.WASK, WireSegment.PUSH));
        assertThat(server.flush()).hasSize(5);
    }
}
