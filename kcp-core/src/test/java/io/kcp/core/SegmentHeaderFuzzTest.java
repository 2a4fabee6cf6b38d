package io.kcp.core;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;

/**
 * Checks that no inbound datagram makes a conversation throw or leak a buffer. A normal build replays the stored inputs;
 * {@code JAZZER_FUZZ=1} searches for new ones.
 */
class SegmentHeaderFuzzTest {

    private static final int SEGMENTS_IN_FLIGHT = 4;

    @FuzzTest(maxDuration = "60s")
    void arbitraryBytesNeitherThrowNorLeak(byte[] bytes) {
        LeakCheck leaks = new LeakCheck(false);
        try {
            DrivenKcp live = new DrivenKcp(leaks, KcpConfig.fast3());
            live.sendSmall(SEGMENTS_IN_FLIGHT);
            live.flush();
            live.input(WireSegment.push(1, 0, new byte[] {1}));
            ByteBuf datagram = live.buffer(bytes);
            boolean opensSession = FirstDatagram.opensSession(datagram, KcpConfig.fast3().receiveWindow());
            InputResult result = live.kcp.input(datagram, false, live.nowMs());
            check(datagram.readableBytes() == bytes.length, "input moved an index");
            if (opensSession) {
                openSession(leaks, datagram);
            }
            datagram.release();
            if (result != InputResult.ACCEPTED) {
                check(live.kcp.waitingSegments() == SEGMENTS_IN_FLIGHT, "a rejected datagram changed the conversation");
            }
            live.receiveAll();
            live.runFor(2_000);
            live.kcp.detachReceived();
        } finally {
            leaks.verify();
        }
    }

    private static void openSession(LeakCheck leaks, ByteBuf datagram) {
        CapturedOutput output = new CapturedOutput(leaks.allocator(), 0);
        Kcp kcp = new Kcp(SegmentHeader.conv(datagram, 0), KcpConfig.fast3(), output, new SegmentPool(leaks.allocator()), 0, 0);
        leaks.atEnd(kcp::release);
        check(kcp.input(datagram, false, 0) == InputResult.ACCEPTED, "a first datagram was refused");
        kcp.flush(0);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
