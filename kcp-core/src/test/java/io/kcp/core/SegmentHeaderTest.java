package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SegmentHeaderTest {

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    @Test
    void pushHasTheBytesOfKcpGo() {
        ByteBuf out = leaks.allocator().buffer(29);
        SegmentHeader.write(out, 0x11223344, SegmentHeader.CMD_PUSH, 0, 32, 3600005, 0, 0, 5);
        out.writeCharSequence("hello", StandardCharsets.US_ASCII);
        assertHex(out, "443322115100200085ee360000000000000000000500000068656c6c6f");
    }

    @Test
    void acknowledgementHasTheBytesOfKcpGo() {
        ByteBuf out = leaks.allocator().buffer(24);
        SegmentHeader.write(out, 0x11223344, SegmentHeader.CMD_ACK, 0, 30, 503, 3, 2, 0);
        assertHex(out, "4433221152001e00f7010000030000000200000000000000");
    }

    @Test
    void windowProbeHasTheBytesOfKcpGo() {
        ByteBuf out = leaks.allocator().buffer(24);
        SegmentHeader.write(out, 1, SegmentHeader.CMD_WASK, 0, 32, 0, 0, 0, 0);
        assertHex(out, "010000005300200000000000000000000000000000000000");
    }

    @Test
    void windowAnnouncementHasTheBytesOfKcpGo() {
        ByteBuf out = leaks.allocator().buffer(24);
        SegmentHeader.write(out, 0x11223344, SegmentHeader.CMD_WINS, 0, 28, 0, 0, 4, 0);
        assertHex(out, "4433221154001c0000000000000000000400000000000000");
    }

    @Test
    void negativeValuesDoNotChangeAdjacentFields() {
        ByteBuf out = leaks.allocator().buffer(24);
        SegmentHeader.write(out, -1, SegmentHeader.CMD_PUSH, 0, 0, -2, 0, -3, 0);
        assertHex(out, "ffffffff51000000feffffff00000000fdffffff00000000");
    }

    @Test
    void fieldsAreReadAsUnsigned() {
        ByteBuf in = leaks.allocator().buffer(64).writeZero(7).writeBytes(HexFormat.of().parseHex("ff".repeat(24)));
        try {
            assertThat(SegmentHeader.conv(in, 7)).isEqualTo(-1);
            assertThat(SegmentHeader.cmd(in, 7)).isEqualTo(255);
            assertThat(SegmentHeader.frg(in, 7)).isEqualTo(255);
            assertThat(SegmentHeader.wnd(in, 7)).isEqualTo(65535);
            assertThat(SegmentHeader.ts(in, 7)).isEqualTo(-1);
            assertThat(SegmentHeader.sn(in, 7)).isEqualTo(-1);
            assertThat(SegmentHeader.una(in, 7)).isEqualTo(-1);
            assertThat(SegmentHeader.len(in, 7)).isEqualTo(0xFFFFFFFFL);
        } finally {
            in.release();
        }
    }

    @Test
    void everyFieldIsReadFromItsOffset() {
        WireSegment segment = new WireSegment(0x01020304, 84, 6, 0x0708, 0x090a0b0c, 0x0d0e0f10, 0x11121314, new byte[0]);
        ByteBuf in = leaks.allocator().buffer(24).writeBytes(segment.bytesWithLen(0x15161718));
        try {
            assertThat(SegmentHeader.conv(in, 0)).isEqualTo(0x01020304);
            assertThat(SegmentHeader.cmd(in, 0)).isEqualTo(84);
            assertThat(SegmentHeader.frg(in, 0)).isEqualTo(6);
            assertThat(SegmentHeader.wnd(in, 0)).isEqualTo(0x0708);
            assertThat(SegmentHeader.ts(in, 0)).isEqualTo(0x090a0b0c);
            assertThat(SegmentHeader.sn(in, 0)).isEqualTo(0x0d0e0f10);
            assertThat(SegmentHeader.una(in, 0)).isEqualTo(0x11121314);
            assertThat(SegmentHeader.len(in, 0)).isEqualTo(0x15161718);
        } finally {
            in.release();
        }
    }

    private static void assertHex(ByteBuf out, String hex) {
        try {
            assertThat(ByteBufUtil.hexDump(out)).isEqualTo(hex);
        } finally {
            out.release();
        }
    }
}
