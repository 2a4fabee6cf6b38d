package io.kcp.core;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.kcp.core.conversation.CapturedOutput;
import io.kcp.core.conversation.DrivenKcp;
import io.kcp.core.conversation.FirstDatagram;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import io.kcp.core.internal.memory.SegmentPool;
import io.kcp.test.AllocationMeter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Tag;

/**
 * Checks that no inbound datagram makes a conversation throw an exception, leak a buffer or allocate more than 8 KiB. A normal build
 * replays the stored inputs, and a build with {@code JAZZER_FUZZ=1} searches for new inputs.
 */
@Tag("jdk")
class SegmentHeaderFuzzTest {

    private static final int SEGMENTS_IN_FLIGHT = 4;
    private static final int MAX_DATAGRAM_BYTES = 1_500;

    @FuzzTest(maxDuration = "60s")
    void arbitraryBytesNeitherThrowNorLeak(byte[] bytes) {
        AllocationMeter.checkInput(meter -> inputAndFlush(bytes, meter));
    }

    private static void inputAndFlush(byte[] bytes, AllocationMeter meter) {
        LeakCheck leaks = new LeakCheck(false);
        DrivenKcp live = new DrivenKcp(leaks, KcpConfig.fast3(), filledPool(leaks));
        live.sendSmall(SEGMENTS_IN_FLIGHT);
        live.flush();
        live.input(WireSegment.push(1, 0, new byte[] {1}));
        ByteBuf datagram = live.buffer(bytes);
        boolean opensSession = FirstDatagram.opensSession(datagram, KcpConfig.fast3().receiveWindow());
        InputResult[] results = new InputResult[1];
        Runnable input = () -> results[0] = live.kcp.input(datagram, false, live.nowMs());
        if (bytes.length <= MAX_DATAGRAM_BYTES) {
            meter.measure(input);
        } else {
            input.run();
        }
        InputResult result = results[0];
        check(datagram.refCnt() > 1 || datagram.readableBytes() == bytes.length,
            "input moved an index of a datagram that it did not retain");
        datagram.release();
        if (opensSession) {
            ByteBuf first = live.buffer(bytes);
            openSession(leaks, first);
            first.release();
        }
        if (result != InputResult.ACCEPTED) {
            check(live.kcp.waitingSegments() == SEGMENTS_IN_FLIGHT, "a rejected datagram changed the conversation");
        }
        live.receiveAll();
        live.runFor(2_000);
        live.kcp.detachReceived();
        // Verifies leaks only if all checks have passed. In a finally block, the leaked buffers would hide the failed check.
        leaks.verify();
    }

    /** Returns a pool with as many unused segments as a datagram can contain. The pool of a server reaches this state after some time. */
    private static SegmentPool filledPool(LeakCheck leaks) {
        SegmentPool pool = new SegmentPool(leaks.allocator());
        DrivenKcp earlier = new DrivenKcp(leaks, KcpConfig.fast3(), pool);
        earlier.sendSmall(MAX_DATAGRAM_BYTES / SegmentHeader.LENGTH);
        earlier.kcp.release();
        return pool;
    }

    /**
     * Reads the headers at all multiples of the header length, writes them again, and compares them with the independent encoding of the
     * tests.
     */
    @FuzzTest(maxDuration = "60s")
    void headersAreWrittenAsTheyWereRead(byte[] bytes) {
        ByteBuf read = Unpooled.wrappedBuffer(bytes);
        ByteBuf written = Unpooled.buffer(Math.max(1, bytes.length));
        for (int at = 0; at + SegmentHeader.LENGTH <= bytes.length; at += SegmentHeader.LENGTH) {
            WireSegment segment = new WireSegment(SegmentHeader.conv(read, at), SegmentHeader.cmd(read, at), SegmentHeader.frg(read, at),
                SegmentHeader.wnd(read, at), SegmentHeader.ts(read, at), SegmentHeader.sn(read, at), SegmentHeader.una(read, at),
                new byte[0]);
            int len = (int) SegmentHeader.len(read, at);
            byte[] expected = segment.bytesWithLen(len);
            check(read.slice(at, SegmentHeader.LENGTH).equals(Unpooled.wrappedBuffer(expected)), "a header was read incorrectly");
            SegmentHeader.write(written, segment.conv(), segment.cmd(), segment.frg(), segment.wnd(), segment.ts(), segment.sn(),
                segment.una(), len);
        }
        check(written.equals(read.slice(0, written.readableBytes())), "a header was written incorrectly");
    }

    private static void openSession(LeakCheck leaks, ByteBuf datagram) {
        CapturedOutput output = new CapturedOutput(leaks.allocator(), 0);
        Kcp kcp = new Kcp(SegmentHeader.conv(datagram, 0), KcpConfig.fast3(), output, leaks.allocator(), 0, 0);
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
