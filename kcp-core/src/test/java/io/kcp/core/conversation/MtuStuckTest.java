package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import io.kcp.core.SegmentHeader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** After a reduction of the MTU, large segments that are still in flight end a session only if they never arrive. */
class MtuStuckTest {

    private static final KcpConfig CONFIG = KcpConfig.fast3();
    private static final int LARGE_BYTES = CONFIG.mtuBytes() - SegmentHeader.LENGTH;
    private static final int WAIT_MS = CONFIG.deadPeerTimeoutMs() + 5_000;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final DrivenKcp driven = new DrivenKcp(leaks, CONFIG);

    /** Queues a large message for a peer whose window is closed, and then reduces the MTU. */
    @BeforeEach
    void reduceWhileALargeMessageIsQueued() {
        driven.sendSmall(1);
        driven.flush();
        driven.advance(10);
        driven.input(WireSegment.ack(0, 0, 1).withWnd(0));
        driven.send(new byte[LARGE_BYTES]);
        driven.kcp.onDatagramTooLarge();
        driven.flush();
        assertThat(driven.kcp.stats().mtuReductions()).isEqualTo(1);
        waitWithClosedWindow();
    }

    /** The peer does not read, but responds to all probes. */
    private void waitWithClosedWindow() {
        for (int ms = 0; ms < WAIT_MS; ms += 500) {
            for (DrivenKcp.Sent sent : driven.runFor(500)) {
                answer(sent.segment(), 0);
            }
        }
        assertThat(state()).isEqualTo(LinkState.ALIVE);
    }

    private void answer(WireSegment segment, int wnd) {
        if (segment.cmd() == WireSegment.WASK) {
            driven.input(WireSegment.wins(wnd).withUna(1));
        } else if (segment.isPush() && segment.payload().length < LARGE_BYTES) {
            driven.input(WireSegment.ack(segment.sn(), segment.ts(), 1).withWnd(wnd));
        }
    }

    private LinkState state() {
        return driven.kcp.linkState(driven.nowMs());
    }

    @Test
    void oneLossAfterALongPauseDoesNotEndTheSession() {
        driven.input(WireSegment.wins(1).withUna(1));
        assertThat(driven.flush()).hasSize(1);
        WireSegment repeated = driven.runFor(1_000).get(0).segment();
        assertThat(repeated.payload()).hasSize(LARGE_BYTES);
        assertThat(state()).isEqualTo(LinkState.ALIVE);
        driven.input(WireSegment.ack(repeated.sn(), repeated.ts(), 2));
        assertThat(driven.kcp.isIdle()).isTrue();
        assertThat(state()).isEqualTo(LinkState.ALIVE);
    }

    @Test
    void closedWindowDoesNotCountAsLoss() {
        driven.input(WireSegment.wins(1).withUna(1));
        driven.flush();
        answerAll(WAIT_MS, 0);
        answerAll(2_000, 128);
        assertThat(state()).isEqualTo(LinkState.ALIVE);
    }

    @Test
    void segmentThatNeverArrivesEndsTheSession() {
        driven.input(WireSegment.wins(1).withUna(1));
        driven.flush();
        int startMs = driven.nowMs();
        answerAll(CONFIG.deadPeerTimeoutMs() - 1_000, 128);
        assertThat(state()).isEqualTo(LinkState.ALIVE);
        while (state() == LinkState.ALIVE && driven.nowMs() - startMs < 2 * WAIT_MS) {
            answerAll(100, 128);
        }
        assertThat(state()).isEqualTo(LinkState.PEER_TIMEOUT);
    }

    /** Loses all large segments. The peer responds to everything else. */
    private void answerAll(int ms, int wnd) {
        for (int end = driven.nowMs() + ms; driven.nowMs() < end;) {
            for (DrivenKcp.Sent sent : driven.runFor(Math.min(50, end - driven.nowMs()))) {
                answer(sent.segment(), wnd);
            }
        }
    }
}
