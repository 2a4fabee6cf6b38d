package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A datagram from an unknown address proves that the peer has sent it only if it echoes a timestamp and is not a replay. */
class PeerPathTest {

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final KcpConfig config = KcpConfig.fast3();
    private final DrivenKcp server = new DrivenKcp(leaks, config, 0, 0x5EED5EED, 0, 0);
    private final DrivenKcp client = new DrivenKcp(leaks, config, 0, 0x0DDBA11, 0, 0);

    private PathEvidence examine(byte[] datagram) {
        ByteBuf buffer = Unpooled.wrappedBuffer(datagram);
        return server.kcp.path().examine(buffer);
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
        assertThat(examine(acknowledgement)).isEqualTo(PathEvidence.PROOF);
        server.inputBytes(acknowledgement);
        assertThat(examine(acknowledgement)).as("replay").isEqualTo(PathEvidence.NONE);
    }

    @Test
    void wrongTimestampProvesNothing() {
        server.sendSmall(1);
        server.flush();
        assertThat(examine(WireSegment.ack(0, 12_345, 0).bytes())).isEqualTo(PathEvidence.WRONG_ECHO);
        assertThat(examine(WireSegment.ack(0, 0x5EED5EED, 0).bytes())).isEqualTo(PathEvidence.PROOF);
        server.inputBytes(WireSegment.ack(0, 0x5EED5EED, 0).withUna(1).bytes());
        assertThat(examine(WireSegment.ack(0, 12_345, 0).withUna(1).bytes())).as("already acknowledged").isEqualTo(PathEvidence.WRONG_ECHO);
    }

    @Test
    void dataWithoutAnEchoProvesNothing() {
        assertThat(examine(WireSegment.push(0, 5, new byte[] {1}).bytes())).isEqualTo(PathEvidence.NONE);
        assertThat(examine(WireSegment.ack(0, 0, 0).bytes())).as("acknowledges no segment that was sent").isEqualTo(PathEvidence.NONE);
        assertThat(examine(new byte[] {1, 2, 3})).isEqualTo(PathEvidence.NONE);
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
        assertThat(examine(repeated)).isEqualTo(PathEvidence.PROOF);
        server.inputBytes(repeated);
        assertThat(examine(repeated)).as("replay").isEqualTo(PathEvidence.NONE);
        byte[] again = silence(200);
        assertThat(examine(again)).isEqualTo(PathEvidence.PROOF);
        server.inputBytes(again);
        assertThat(examine(repeated)).isEqualTo(PathEvidence.NONE);
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
        server.kcp.path().challenge(server.nowMs());
        List<WireSegment> challenge = server.flush();
        assertThat(challenge).extracting(WireSegment::cmd).containsExactly(WireSegment.WASK, WireSegment.PUSH);
        client.inputBytes(bytes(challenge));
        byte[] answer = bytes(client.flush());
        assertThat(server.kcp.path().isAnsweredBy(Unpooled.wrappedBuffer(answer))).isTrue();
        byte[] wrong = WireSegment.ack(challenge.get(1).sn(), challenge.get(1).ts() + 1, 0).bytes();
        assertThat(server.kcp.path().isAnsweredBy(Unpooled.wrappedBuffer(wrong))).isFalse();
        server.kcp.path().cancelChallenge();
        assertThat(server.kcp.path().isAnsweredBy(Unpooled.wrappedBuffer(answer))).isFalse();
        assertThat(examine(answer)).as("an unanswered challenge proves nothing").isEqualTo(PathEvidence.NONE);
    }

    @Test
    void moveRetransmitsTheDataInFlight() {
        server.sendSmall(5);
        assertThat(server.flush()).hasSize(5);
        server.inputBytes(WireSegment.ack(2, 0x5EED5EED, 0).bytes());
        assertThat(server.flush()).isEmpty();
        server.kcp.path().onMoved();
        assertThat(server.flush()).extracting(WireSegment::sn).containsExactly(0, 1, 3, 4);
    }

    @Test
    void flushWithoutSegmentsSendsControlSegmentsOnly() {
        server.sendSmall(5);
        server.kcp.path().challenge(server.nowMs());
        server.kcp.flush(server.nowMs(), 0);
        assertThat(server.output.take()).hasSize(1).allSatisfy(datagram -> assertThat(WireSegment.parse(datagram))
            .extracting(WireSegment::cmd).containsExactly(WireSegment.WASK, WireSegment.PUSH));
        assertThat(server.flush()).hasSize(5);
    }
}
