package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SegmentHeaderTest {

    private static final int WINDOW = 32;

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
    void windowQuestionHasTheBytesOfKcpGo() {
        ByteBuf out = leaks.allocator().buffer(24);
        SegmentHeader.write(out, 1, SegmentHeader.CMD_WASK, 0, 32, 0, 0, 0, 0);
        assertHex(out, "010000005300200000000000000000000000000000000000");
    }

    @Test
    void windowAnswerHasTheBytesOfKcpGo() {
        ByteBuf out = leaks.allocator().buffer(24);
        SegmentHeader.write(out, 0x11223344, SegmentHeader.CMD_WINS, 0, 28, 0, 0, 4, 0);
        assertHex(out, "4433221154001c0000000000000000000400000000000000");
    }

    @Test
    void negativeNumbersDoNotSpillIntoTheirNeighbours() {
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
    void everyFieldIsReadFromItsPlace() {
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

    static Stream<Arguments> openers() {
        WireSegment push = WireSegment.push(0, 77, new byte[] {1, 2, 3});
        return Stream.of(
            opener("a first segment", push.bytes()),
            opener("an empty first segment", WireSegment.push(0, 77, new byte[0]).bytes()),
            opener("a fragment", push.withFrg(WINDOW - 1).bytes()),
            opener("a fragment of a message that the window cannot hold", push.withFrg(WINDOW).bytes()),
            opener("the first fragment of the largest message", push.withFrg(254).bytes()),
            opener("several segments", WireSegment.datagram(push, WireSegment.push(1, 78, new byte[9]))),
            opener("the first segment behind a later one", WireSegment.datagram(WireSegment.push(WINDOW - 1, 78, new byte[9]), push)));
    }

    @ParameterizedTest
    @MethodSource("openers")
    void aDatagramOfAClientsBeginningOpensASession(String what, byte[] datagram) {
        assertThat(isOpener(datagram)).as(what).isTrue();
    }

    static Stream<Arguments> strangers() {
        WireSegment push = WireSegment.push(0, 77, new byte[] {1, 2, 3});
        return Stream.of(
            opener("nothing", new byte[0]),
            opener("less than a header", new byte[23]),
            opener("zeros", new byte[24]),
            opener("an acknowledgement", WireSegment.ack(0, 0, 0).bytes()),
            opener("a window question", WireSegment.wask().bytes()),
            opener("a window answer", WireSegment.wins(1).bytes()),
            opener("an unknown command", push.withCmd(85).bytes()),
            opener("a segment that acknowledges", push.withUna(1).bytes()),
            opener("a segment that acknowledges backwards", push.withUna(-1).bytes()),
            opener("a later segment", WireSegment.push(1, 77, new byte[1]).bytes()),
            opener("several later segments",
                WireSegment.datagram(WireSegment.push(1, 77, new byte[1]), WireSegment.push(2, 77, new byte[1]))),
            opener("the last number inside the window", WireSegment.push(WINDOW - 1, 77, new byte[1]).bytes()),
            opener("a second segment beyond the window", WireSegment.datagram(push, WireSegment.push(WINDOW, 77, new byte[1]))),
            opener("the first number beyond the window", WireSegment.push(WINDOW, 77, new byte[1]).bytes()),
            opener("a number far beyond", WireSegment.push(0x7FFFFFFF, 77, new byte[1]).bytes()),
            opener("a number before the first", WireSegment.push(-1, 77, new byte[1]).bytes()),
            opener("a fragment 255", push.withFrg(255).bytes()),
            opener("a length beyond the end", push.bytesWithLen(4)),
            opener("a length of 2^31", push.bytesWithLen(Integer.MIN_VALUE)),
            opener("a length of 2^32 - 1", push.bytesWithLen(-1)),
            opener("a length short of the end", push.bytesWithLen(2)),
            opener("a second segment of another conversation", WireSegment.datagram(push, push.withConv(7))),
            opener("a second segment that is an acknowledgement", WireSegment.datagram(push, WireSegment.ack(0, 0, 0))),
            opener("a second segment cut off", cut(WireSegment.datagram(push, push), 1)));
    }

    @ParameterizedTest
    @MethodSource("strangers")
    void aDatagramOfAnyOtherKindOpensNone(String what, byte[] datagram) {
        assertThat(isOpener(datagram)).as(what).isFalse();
    }

    @Test
    void openerIsJudgedByItsReadableBytesOnly() {
        byte[] opener = WireSegment.push(0, 77, new byte[] {1}).bytes();
        ByteBuf in = leaks.allocator().buffer(64).writeZero(5).writeBytes(opener).skipBytes(5);
        try {
            assertThat(SegmentHeader.isOpener(in, WINDOW)).isTrue();
            assertThat(in.readableBytes()).as("borrowed: indexes untouched").isEqualTo(opener.length);
            in.writerIndex(in.writerIndex() - 1);
            assertThat(SegmentHeader.isOpener(in, WINDOW)).isFalse();
        } finally {
            in.release();
        }
    }

    private boolean isOpener(byte[] datagram) {
        ByteBuf in = leaks.allocator().buffer(64).writeBytes(datagram);
        try {
            return SegmentHeader.isOpener(in, WINDOW);
        } finally {
            in.release();
        }
    }

    private static Arguments opener(String what, byte[] datagram) {
        return Arguments.of(what, datagram);
    }

    private static byte[] cut(byte[] datagram, int bytes) {
        return Arrays.copyOf(datagram, datagram.length - bytes);
    }

    private static void assertHex(ByteBuf out, String hex) {
        try {
            assertThat(ByteBufUtil.hexDump(out)).isEqualTo(hex);
        } finally {
            out.release();
        }
    }
}
