package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The segments that announce close notices, and the notices, as section 2.13 of wire-format.md describes them. */
class CloseNoticeTest {

    private static final int SUPPORT_SN = 0x4B435031;
    private static final int CLOSE = 85;
    private static final int TOKEN = 0x12345678;
    private static final int PEER_TOKEN = 0x0BADCAFE;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final byte[] payload = {1};
    private DrivenKcp driven;
    private int received;

    private CloseNotice enable() {
        return enable(new DrivenKcp(leaks, KcpConfig.fast3()));
    }

    private CloseNotice enable(DrivenKcp conversation) {
        driven = conversation;
        CloseNotice notice = driven.kcp.closeNotice();
        notice.setEnabled(true);
        notice.setToken(TOKEN);
        return notice;
    }

    /** Receives a new segment, which proves that the peer is alive and must be acknowledged. */
    private void receive() {
        driven.input(WireSegment.push(received, driven.nowMs(), payload));
        received++;
    }

    private static WireSegment control(int cmd, int sn, int ts) {
        return new WireSegment(WireSegment.CONV, cmd, 0, 128, ts, sn, 0, new byte[0]);
    }

    private List<WireSegment> sent(int cmd) {
        return driven.flush().stream().filter(segment -> segment.cmd() == cmd).toList();
    }

    private long queriesIn(List<WireSegment> segments) {
        return segments.stream().filter(segment -> segment.cmd() == WireSegment.WASK && segment.sn() == SUPPORT_SN
            && segment.ts() == TOKEN).count();
    }

    private int read(CloseNotice notice, WireSegment segment) {
        ByteBuf datagram = driven.buffer(segment.bytes());
        try {
            assertThat(CloseNotice.isNotice(datagram)).isTrue();
            return notice.read(datagram);
        } finally {
            datagram.release();
        }
    }

    // ---- announcing support

    @Test
    void queryIsSentWithOtherSegmentsOnceThePeerIsVerified() {
        enable();
        driven.send(payload);
        assertThat(driven.flush()).as("nothing was received").extracting(WireSegment::cmd).containsExactly(WireSegment.PUSH);
        receive();
        assertThat(queriesIn(driven.flush())).isOne();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).as("a query causes no datagram of its own").isNotZero();
    }

    @Test
    void queryIsSentAtMostThreeTimesOncePerSecond() {
        enable();
        int queries = 0;
        for (int ms = 0; ms < 10_000; ms += 500) {
            receive();
            boolean due = ms == 0 || ms == 1_000 || ms == 2_000;
            assertThat(queriesIn(driven.flush())).as("at %d ms", ms).isEqualTo(due ? 1 : 0);
            queries += due ? 1 : 0;
            driven.advance(500);
        }
        assertThat(queries).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, false", "1, 0, true", "0, 1, true"})
    void queryIsRepeatedUntilItsSnAndTsAreEchoed(int wrongSn, int wrongTs, boolean repeated) {
        enable();
        receive();
        driven.flush();
        driven.input(control(WireSegment.WINS, SUPPORT_SN + wrongSn, TOKEN + wrongTs));
        driven.advance(1_000);
        receive();
        assertThat(queriesIn(driven.flush())).isEqualTo(repeated ? 1 : 0);
    }

    @Test
    void echoBeforeTheFirstQueryIsForged() {
        enable();
        driven.input(control(WireSegment.WINS, SUPPORT_SN, TOKEN));
        receive();
        assertThat(queriesIn(driven.flush())).isOne();
    }

    @Test
    void disabledConversationNeitherAsksNorEchoes() {
        CloseNotice notice = enable();
        notice.setEnabled(false);
        receive();
        driven.input(control(WireSegment.WASK, SUPPORT_SN, PEER_TOKEN));
        List<WireSegment> segments = driven.flush();
        assertThat(segments).extracting(WireSegment::cmd).doesNotContain(WireSegment.WASK).contains(WireSegment.WINS);
        assertThat(segments).extracting(WireSegment::sn).doesNotContain(SUPPORT_SN);
        assertThat(notice.isPeerListening()).isFalse();
    }

    @Test
    void queryOfThePeerIsEchoedOnce() {
        CloseNotice notice = enable();
        assertThat(notice.isPeerListening()).isFalse();
        announce(PEER_TOKEN);
        assertThat(notice.isPeerListening()).isTrue();
        assertThat(sent(WireSegment.WINS)).singleElement().satisfies(wins -> {
            assertThat(wins.sn()).isEqualTo(SUPPORT_SN);
            assertThat(wins.ts()).isEqualTo(PEER_TOKEN);
        });
        driven.input(control(WireSegment.WASK, 0, 0));
        assertThat(sent(WireSegment.WINS)).singleElement().satisfies(wins -> assertThat(wins.sn()).isZero());
    }

    @Test
    void otherWasksAreNotQueries() {
        CloseNotice notice = enable();
        announce(SUPPORT_SN + 1, PEER_TOKEN);
        assertThat(notice.isPeerListening()).isFalse();
    }

    /** An attacker guesses the {@code conv} and the segment numbers, but not the {@code ts} of the segments in flight. */
    @Test
    void forgedQueryMakesNoPeerReceiveNotices() {
        CloseNotice notice = enable();
        driven.sendSmall(3);
        driven.flush();
        WireSegment query = control(WireSegment.WASK, SUPPORT_SN, PEER_TOKEN);
        driven.advance(20);
        driven.input(query);
        driven.input(WireSegment.ack(0, 21, 0), query);
        driven.input(WireSegment.push(0, 20, payload), query);
        driven.input(query.withUna(1));
        assertThat(notice.isPeerListening()).isFalse();
        driven.input(WireSegment.ack(2, 0, 1));
        assertThat(notice.isPeerListening()).as("the genuine peer acknowledges, but has announced nothing").isFalse();
    }

    @Test
    void queryCountsOnceThePeerHasEchoedTheToken() {
        CloseNotice notice = enable();
        driven.input(control(WireSegment.WASK, SUPPORT_SN, PEER_TOKEN));
        receive();
        driven.flush();
        driven.input(control(WireSegment.WINS, SUPPORT_SN, TOKEN + 1));
        assertThat(notice.isPeerListening()).isFalse();
        driven.input(control(WireSegment.WINS, SUPPORT_SN, TOKEN));
        assertThat(notice.isPeerListening()).isTrue();
    }

    /** A close directly after the response reaches the peer, so the first response must show that the peer reads notices. */
    @Test
    void oneRequestAndItsResponseSufficeForANotice() {
        enable();
        DrivenKcp server = new DrivenKcp(leaks, KcpConfig.fast3());
        server.kcp.closeNotice().setEnabled(true);
        driven.send(payload);
        driven.kcp.flush(driven.nowMs());
        driven.output.take().forEach(server::inputBytes);
        server.send(server.receive());
        server.kcp.flush(server.nowMs());
        driven.output.take();
        server.output.take().forEach(driven::inputBytes);
        assertThat(driven.receive()).isEqualTo(payload);
        assertThat(driven.kcp.closeNotice().isPeerListening()).isTrue();
        driven.kcp.flush(driven.nowMs());
        driven.output.take().forEach(server::inputBytes);
        assertThat(server.kcp.closeNotice().isPeerListening()).isTrue();
    }

    /** The datagrams of the sending side contain no ACK. The response to its query does. */
    @Test
    void bothSidesOfAOneWayTransferMaySendNotices() {
        enable();
        DrivenKcp receiver = new DrivenKcp(leaks, KcpConfig.fast3());
        receiver.kcp.closeNotice().setEnabled(true);
        for (int i = 0; i < 2; i++) {
            driven.send(payload);
            DrivenKcp.exchange(driven, receiver);
        }
        assertThat(List.of(driven, receiver)).allMatch(side -> side.kcp.closeNotice().isPeerListening());
    }

    /** An attacker guesses the {@code conv} and announces a token before the peer does. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void forgedFirstTokenDoesNotHideThatOfAPeerThatOnlySends(boolean limited) {
        KcpConfig config = KcpConfig.fast3();
        CloseNotice notice = enable(limited ? DrivenKcp.limited(leaks, config, 0, 0, 0) : new DrivenKcp(leaks, config));
        DrivenKcp peer = new DrivenKcp(leaks, KcpConfig.fast3());
        peer.kcp.closeNotice().setEnabled(true);
        peer.kcp.closeNotice().setToken(PEER_TOKEN);
        driven.input(control(WireSegment.WASK, SUPPORT_SN, PEER_TOKEN - 1));
        for (int i = 0; i < 5; i++) {
            peer.send(payload);
            DrivenKcp.exchange(peer, driven);
            peer.advance(1_100);
            driven.advance(1_100);
        }
        ByteBuf out = driven.buffer(new byte[SegmentHeader.LENGTH]).clear();
        notice.write(out, 200);
        int token = SegmentHeader.ts(out, 0);
        out.release();
        assertThat(token).isEqualTo(PEER_TOKEN);
    }

    /** Receives an announcement together with the acknowledgement of a segment, which no attacker can forge. */
    private void announce(int token) {
        announce(SUPPORT_SN, token);
    }

    private void announce(int sn, int token) {
        driven.send(payload);
        int sentSn = driven.flush().stream().filter(segment -> segment.cmd() == WireSegment.PUSH).findFirst().orElseThrow().sn();
        driven.input(WireSegment.ack(sentSn, driven.nowMs(), sentSn + 1), control(WireSegment.WASK, sn, token));
    }

    @Test
    void tokenOfEachConversationDiffersByDefault() {
        int first = queryTs(1);
        assertThat(queryTs(1)).isEqualTo(first);
        assertThat(queryTs(2)).isNotEqualTo(first);
        assertThat(first).as("does not reveal the timestamp base").isNotEqualTo(1).isNotEqualTo(1 ^ SUPPORT_SN);
    }

    private int queryTs(int timestampBase) {
        driven = new DrivenKcp(leaks, KcpConfig.fast3(), 0, timestampBase, 0, 0);
        driven.kcp.closeNotice().setEnabled(true);
        received = 0;
        receive();
        return sent(WireSegment.WASK).get(0).ts();
    }

    // ---- the notice

    @Test
    void noticeContainsTheFirstVerifiedTokenOfThePeer() {
        CloseNotice notice = enable();
        driven.input(control(WireSegment.WASK, SUPPORT_SN, PEER_TOKEN - 1));
        announce(PEER_TOKEN);
        driven.input(control(WireSegment.WASK, SUPPORT_SN, PEER_TOKEN + 1));
        announce(PEER_TOKEN + 2);
        driven.sendSmall(1);
        receive();
        driven.flush();
        ByteBuf out = driven.buffer(new byte[SegmentHeader.LENGTH]).clear();
        try {
            notice.write(out, 200);
            byte[] bytes = new byte[out.readableBytes()];
            out.getBytes(0, bytes);
            assertThat(bytes).isEqualTo(new WireSegment(WireSegment.CONV, CLOSE, 200, 0, PEER_TOKEN, 3, 1, new byte[0]).bytes());
        } finally {
            out.release();
        }
    }

    @Test
    void noticeRequiresAPeerThatReadsIt() {
        CloseNotice notice = enable();
        ByteBuf out = driven.buffer(new byte[SegmentHeader.LENGTH]).clear();
        assertThatThrownBy(() -> notice.write(out, 0)).isInstanceOf(IllegalStateException.class)
            .hasMessageContaining(Integer.toString(WireSegment.CONV));
        out.release();
    }

    @Test
    void genuineNoticeAcknowledgesAndReportsItsReason() {
        CloseNotice notice = enable();
        driven.sendSmall(2);
        receive();
        driven.flush();
        assertThat(read(notice, close(7, TOKEN, 1, 2))).isEqualTo(7);
        assertThat(notice.isComplete()).isTrue();
        assertThat(driven.kcp.isIdle()).as("both segments are acknowledged").isTrue();
    }

    @Test
    void noticeReportsWhetherSegmentsAreMissing() {
        CloseNotice notice = enable();
        receive();
        driven.flush();
        assertThat(read(notice, close(255, TOKEN, 2, 0))).isEqualTo(255);
        assertThat(notice.isComplete()).isFalse();
    }

    private static WireSegment close(int reason, int token, int sn, int una) {
        return new WireSegment(WireSegment.CONV, CLOSE, reason, 0, token, sn, una, new byte[0]);
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 0, 0", "0, 1, 0, 0", "0, 0, -1, 0", "0, 0, 131071, 0", "0, 0, 0, 1"})
    void forgedNoticeHasNoEffect(int wrongConv, int wrongToken, int sn, int una) {
        CloseNotice notice = enable();
        receive();
        driven.send(payload);
        driven.flush();
        WireSegment forged = close(0, TOKEN + wrongToken, received + sn, 1 + una).withConv(WireSegment.CONV + wrongConv);
        assertThat(read(notice, forged)).isEqualTo(CloseNotice.NOT_CLOSED);
        assertThat(driven.kcp.isIdle()).isFalse();
        assertThat(read(notice, close(0, TOKEN, received + 131_070, 1))).as("the largest distance").isZero();
    }

    @Test
    void noticeIsIgnoredBeforeTheFirstQueryAndIfDisabled() {
        CloseNotice notice = enable();
        assertThat(read(notice, close(0, TOKEN, 0, 0))).isEqualTo(CloseNotice.NOT_CLOSED);
        receive();
        driven.flush();
        notice.setEnabled(false);
        assertThat(read(notice, close(0, TOKEN, 1, 0))).isEqualTo(CloseNotice.NOT_CLOSED);
        notice.setEnabled(true);
        assertThat(read(notice, close(0, TOKEN, 1, 0))).isZero();
    }

    @Test
    void onlyASingleHeaderWithoutWindowIsANotice() {
        enable();
        assertThat(isNotice(close(0, 0, 0, 0).bytes())).isTrue();
        assertThat(isNotice(close(0, 0, 0, 0).withCmd(86).bytes())).isFalse();
        assertThat(isNotice(close(0, 0, 0, 0).withWnd(1).bytes())).isFalse();
        assertThat(isNotice(close(0, 0, 0, 0).bytesWithLen(1))).isFalse();
        assertThat(isNotice(WireSegment.datagram(close(0, 0, 0, 0), close(0, 0, 0, 0)))).isFalse();
        assertThat(isNotice(new byte[23])).isFalse();
    }

    private boolean isNotice(byte[] bytes) {
        ByteBuf datagram = driven.buffer(bytes);
        try {
            return CloseNotice.isNotice(datagram);
        } finally {
            datagram.release();
        }
    }
}
