package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FirstDatagramTest {

    private static final int WINDOW = 32;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    static Stream<Arguments> firstDatagrams() {
        WireSegment push = WireSegment.push(0, 77, new byte[] {1, 2, 3});
        return Stream.of(
            datagram("a first segment", push.bytes()),
            datagram("an empty first segment", WireSegment.push(0, 77, new byte[0]).bytes()),
            datagram("a fragment", push.withFrg(WINDOW - 1).bytes()),
            datagram("a fragment of a message that the window cannot hold", push.withFrg(WINDOW).bytes()),
            datagram("the first fragment of the largest message", push.withFrg(254).bytes()),
            datagram("several segments", WireSegment.datagram(push, WireSegment.push(1, 78, new byte[9]))),
            datagram("the first segment behind a later one", WireSegment.datagram(WireSegment.push(WINDOW - 1, 78, new byte[9]), push)));
    }

    @ParameterizedTest
    @MethodSource("firstDatagrams")
    void firstDatagramOpensSession(String what, byte[] datagram) {
        assertThat(opensSession(datagram)).as(what).isTrue();
    }

    static Stream<Arguments> otherDatagrams() {
        WireSegment push = WireSegment.push(0, 77, new byte[] {1, 2, 3});
        return Stream.of(
            datagram("an empty datagram", new byte[0]),
            datagram("less than a header", new byte[23]),
            datagram("zeros", new byte[24]),
            datagram("an acknowledgement", WireSegment.ack(0, 0, 0).bytes()),
            datagram("a window probe", WireSegment.wask().bytes()),
            datagram("a window advertisement", WireSegment.wins(1).bytes()),
            datagram("an unknown command", push.withCmd(85).bytes()),
            datagram("a segment that acknowledges", push.withUna(1).bytes()),
            datagram("a segment that acknowledges backwards", push.withUna(-1).bytes()),
            datagram("a later segment", WireSegment.push(1, 77, new byte[1]).bytes()),
            datagram("several later segments",
                WireSegment.datagram(WireSegment.push(1, 77, new byte[1]), WireSegment.push(2, 77, new byte[1]))),
            datagram("the last number inside the window", WireSegment.push(WINDOW - 1, 77, new byte[1]).bytes()),
            datagram("a second segment beyond the window", WireSegment.datagram(push, WireSegment.push(WINDOW, 77, new byte[1]))),
            datagram("the first number beyond the window", WireSegment.push(WINDOW, 77, new byte[1]).bytes()),
            datagram("a number far beyond the window", WireSegment.push(0x7FFFFFFF, 77, new byte[1]).bytes()),
            datagram("a number before the first", WireSegment.push(-1, 77, new byte[1]).bytes()),
            datagram("a fragment 255", push.withFrg(255).bytes()),
            datagram("a length beyond the end", push.bytesWithLen(4)),
            datagram("a length of 2^31", push.bytesWithLen(Integer.MIN_VALUE)),
            datagram("a length of 2^32 - 1", push.bytesWithLen(-1)),
            datagram("a length of 2^32 - 24", push.bytesWithLen(-SegmentHeader.LENGTH)),
            datagram("a length short of the end", push.bytesWithLen(2)),
            datagram("a second segment of another conversation", WireSegment.datagram(push, push.withConv(7))),
            datagram("a second segment that is an acknowledgement", WireSegment.datagram(push, WireSegment.ack(0, 0, 0))),
            datagram("a second segment cut off", cut(WireSegment.datagram(push, push), 1)));
    }

    /** The timeout runs the test in another thread, because a length that is read as negative may cause an endless loop. */
    @ParameterizedTest
    @MethodSource("otherDatagrams")
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void otherDatagramOpensNoSession(String what, byte[] datagram) {
        assertThat(opensSession(datagram)).as(what).isFalse();
    }

    @Test
    void onlyReadableBytesCount() {
        byte[] first = WireSegment.push(0, 77, new byte[] {1}).bytes();
        ByteBuf in = leaks.allocator().buffer(64).writeZero(5).writeBytes(first).skipBytes(5);
        try {
            assertThat(FirstDatagram.opensSession(in, WINDOW)).isTrue();
            assertThat(in.readableBytes()).as("borrowed: indices unchanged").isEqualTo(first.length);
            in.writerIndex(in.writerIndex() - 1);
            assertThat(FirstDatagram.opensSession(in, WINDOW)).isFalse();
        } finally {
            in.release();
        }
    }

    /** A client of this library asks for the token of a close notice once it has received a probe of the server. */
    @Test
    void provenPeerMayAskForTheWindow() {
        WireSegment push = WireSegment.push(0, 77, new byte[] {1, 2, 3});
        for (byte[] datagram : List.of(WireSegment.datagram(push, WireSegment.wask()), WireSegment.datagram(WireSegment.wask(), push))) {
            assertThat(opensSession(datagram)).isFalse();
            ByteBuf in = leaks.allocator().buffer(64).writeBytes(datagram);
            assertThat(FirstDatagram.opensSessionOfProvenPeer(in, WINDOW)).isTrue();
            assertThat(FirstDatagram.firstPayload(in).readableBytes()).isEqualTo(3);
            in.release();
        }
        ByteBuf onlyProbe = leaks.allocator().buffer(64).writeBytes(WireSegment.wask().bytes());
        assertThat(FirstDatagram.opensSessionOfProvenPeer(onlyProbe, WINDOW)).isFalse();
        onlyProbe.release();
    }

    private boolean opensSession(byte[] datagram) {
        ByteBuf in = leaks.allocator().buffer(64).writeBytes(datagram);
        try {
            return FirstDatagram.opensSession(in, WINDOW);
        } finally {
            in.release();
        }
    }

    private static Arguments datagram(String what, byte[] datagram) {
        return Arguments.of(what, datagram);
    }

    private static byte[] cut(byte[] datagram, int bytes) {
        return Arrays.copyOf(datagram, datagram.length - bytes);
    }
}
