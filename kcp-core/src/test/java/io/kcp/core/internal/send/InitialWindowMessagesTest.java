package io.kcp.core.internal.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import io.kcp.core.conversation.DrivenKcp;
import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests messages of more than 32 segments that are sent before the peer's window is known. */
class InitialWindowMessagesTest {

    private static final int MSS_BYTES = 1_376;
    private static final int FRAGMENTS = 44;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());

    private void sendMessage() {
        driven.send(new byte[FRAGMENTS * MSS_BYTES]);
    }

    private void answer(int wnd, int una) {
        driven.input(WireSegment.wins(wnd).withUna(una));
    }

    private InitialWindowMessages message() {
        return driven.kcp.initialWindowMessages();
    }

    private void assertPending() {
        assertThat(message().failure()).isNull();
        assertThat(message().isPending()).isTrue();
    }

    private void assertAccepted() {
        assertThat(message().failure()).isNull();
        assertThat(message().isPending()).isFalse();
    }

    private void assertTooLarge(int windowSegments) {
        assertThat(message().failure()).hasMessageContaining(String.valueOf(FRAGMENTS * MSS_BYTES))
            .hasMessageContaining(windowSegments + " segments");
        assertThat(message().failure().limitBytes()).isEqualTo(windowSegments * MSS_BYTES);
    }

    /** Advances time while the peer responds to every probe with the same window, and returns the final link state. */
    private LinkState runWithAnswers(int forMs, int wnd, int una) {
        int endMs = driven.nowMs() + forMs;
        while (driven.kcp.linkState(driven.nowMs()) == LinkState.ALIVE) {
            int waitMs = driven.kcp.nextDeadline(driven.nowMs());
            if (waitMs > endMs - driven.nowMs()) {
                driven.advance(endMs - driven.nowMs());
                break;
            }
            driven.advance(waitMs);
            for (WireSegment sent : driven.flush()) {
                if (sent.cmd() == WireSegment.WASK) {
                    answer(wnd, una);
                } else if (sent.isPush() && sent.payload().length == 0) {
                    driven.input(WireSegment.ack(sent.sn(), sent.ts(), una).withWnd(wnd));
                }
            }
        }
        return driven.kcp.linkState(driven.nowMs());
    }

    @Test
    void messageIsRefusedAlthoughALargerOneIsQueuedBehindIt() {
        sendMessage();
        driven.send(new byte[60 * MSS_BYTES]);
        driven.flush();
        answer(8, 32);
        assertTooLarge(40);
    }

    @Test
    void largerMessageIsDecidedAfterTheFirst() {
        sendMessage();
        driven.send(new byte[50 * MSS_BYTES]);
        driven.send(new byte[60 * MSS_BYTES]);
        driven.flush();
        answer(18, 32);
        assertThat(message().failure()).isNull();
        assertThat(message().isPending()).as("60 fragments do not fit into a window of 50").isTrue();
        driven.flush();
        answer(60, 44);
        assertAccepted();
    }

    @Test
    void closedWindowDecidesNothing() {
        sendMessage();
        driven.flush();
        answer(0, 0);
        assertPending();
        answer(0, 32);
        assertPending();
        answer(96, 32);
        assertAccepted();
        assertThat(driven.kcp.maxMessageBytes()).isEqualTo(128 * MSS_BYTES);
        assertThat(driven.flush()).hasSize(FRAGMENTS - 32);
    }

    /** A forged WINS does not close a session, because only the genuine response decides. */
    @ParameterizedTest
    @CsvSource({"0", "1", "8"})
    void forgedWindowDecidesNothing(int wnd) {
        sendMessage();
        driven.flush();
        answer(wnd, 0);
        assertPending();
        answer(127, 1);
        assertAccepted();
    }

    /** A receiver that is short of memory announces room for the rest of an earlier message, then a closed window. */
    @Test
    void windowForTheRestOfAnEarlierMessageDecidesNothing() {
        driven.send(new byte[10 * MSS_BYTES]);
        sendMessage();
        driven.flush();
        answer(5, 5);
        assertThat(runWithAnswers(10_000, 5, 5)).isEqualTo(LinkState.ALIVE);
        assertThat(driven.kcp.oldestTransmissions()).isGreaterThanOrEqualTo(3);
        assertPending();
        answer(0, 10);
        assertThat(runWithAnswers(10_000, 0, 10)).isEqualTo(LinkState.ALIVE);
        assertPending();
        answer(128, 10);
        assertAccepted();
    }

    /** The link loses most datagrams. The peer has a window of 60 segments and has not read the 20 small messages. */
    @Test
    @Tag("slow")
    void slowProgressDoesNotFailTheMessage() {
        driven.sendSmall(20);
        sendMessage();
        driven.flush();
        for (int una = 21; una < 30; una++) {
            answer(60 - una, una);
            assertThat(runWithAnswers(40_000, 60 - una, una)).as("una %d", una).isEqualTo(LinkState.ALIVE);
        }
    }

    @Test
    void initiallyClosedWindowDoesNotLimitLaterMessages() {
        driven.send(new byte[10]);
        driven.flush();
        answer(0, 1);
        assertThat(driven.kcp.maxMessageBytes()).isEqualTo(255 * MSS_BYTES);
    }

    /** A kcp-go peer with a window of 32 or 40 segments stores the segments that fit, either in one batch or one by one. */
    @ParameterizedTest
    @CsvSource({"32, 1", "40, 1", "40, 32"})
    void messageAboveTheFullWindowFails(int window, int firstAnswerUna) {
        sendMessage();
        driven.flush();
        answer(window - firstAnswerUna, firstAnswerUna);
        driven.flush();
        answer(0, window);
        assertTooLarge(window);
    }

    /** A kcp-go peer with a window of 32 segments has read 20 small messages before the large one. */
    @Test
    void earlierReadMessagesDoNotEnlargeTheWindow() {
        driven.sendSmall(20);
        sendMessage();
        driven.flush();
        answer(20, 32);
        assertPending();
        assertThat(driven.flush()).hasSize(20);
        answer(0, 52);
        assertPending();
        assertThat(runWithAnswers(59_000, 0, 52)).isEqualTo(LinkState.ALIVE);
        assertThat(runWithAnswers(2_000, 0, 52)).isEqualTo(LinkState.PEER_NOT_READING);
        assertTooLarge(32);
    }

    /** A kcp-go peer with a window of 60 segments reads the 20 small messages late. */
    @Test
    void messageIsAcceptedAfterLateReadOfEarlierMessages() {
        driven.sendSmall(20);
        sendMessage();
        driven.flush();
        answer(28, 32);
        driven.flush();
        answer(0, 60);
        assertThat(runWithAnswers(50_000, 0, 60)).isEqualTo(LinkState.ALIVE);
        assertPending();
        answer(20, 60);
        assertAccepted();
        assertThat(driven.flush()).filteredOn(WireSegment::isPush).hasSize(4);
        answer(128, 64);
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    /** A peer that accepts no segment of the message is not reading. In this case, the size of the message is not the cause. */
    @Test
    void peerThatAcceptsNothingIsNotReading() {
        driven.sendSmall(32);
        sendMessage();
        driven.flush();
        answer(0, 32);
        assertThat(runWithAnswers(61_000, 0, 32)).isEqualTo(LinkState.PEER_NOT_READING);
        assertThat(message().failure()).isNull();
    }

    /** A datagram recovered by FEC contains a newer una and an outdated window. */
    @Test
    void windowCountsFromTheUnaThatAnnouncedIt() {
        sendMessage();
        driven.flush();
        answer(38, 2);
        driven.inputRecovered(WireSegment.wins(38).withUna(12));
        assertPending();
    }

    /** The peer has read the first of two large messages, so only segments of the second one occupy its window. */
    @Test
    void onlySegmentsOfTheLargestMessageCount() {
        driven.send(new byte[40 * MSS_BYTES]);
        driven.send(new byte[60 * MSS_BYTES]);
        driven.flush();
        answer(59, 1);
        driven.flush();
        answer(39, 60);
        assertPending();
        answer(40, 60);
        assertAccepted();
    }

    /** A receiver of this library refuses a fragment whose message exceeds its window, and responds with the window. */
    @ParameterizedTest
    @CsvSource({"0, 32, 3000, ALIVE", "20, 32, 62000, PEER_NOT_READING"})
    void messageRefusedByOurReceiverFailsInBoundedTime(int smallMessages, int window, int limitMs, LinkState state) {
        DrivenKcp peer = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().receiveWindow(window).build());
        driven.sendSmall(smallMessages);
        sendMessage();
        for (int atMs = 0; atMs < limitMs && message().failure() == null; atMs++) {
            List<WireSegment> sent = driven.kcp.nextDeadline(driven.nowMs()) == 0 ? driven.flush() : List.of();
            sent.forEach(peer::input);
            peer.receiveAll();
            if (peer.kcp.nextDeadline(peer.nowMs()) == 0) {
                peer.flush().forEach(driven::input);
            }
            driven.advance(1);
            peer.advance(1);
            driven.kcp.linkState(driven.nowMs());
        }
        assertTooLarge(window);
        assertThat(driven.kcp.linkState(driven.nowMs())).as("the final state").isEqualTo(state);
    }
}
