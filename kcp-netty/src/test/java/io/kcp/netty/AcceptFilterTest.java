package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An {@link AcceptFilter} can examine the first message of a peer before the session exists. */
class AcceptFilterTest {

    private static final int CONV = 7;

    private final List<String> examined = new ArrayList<>();

    private final class ByFirstMessage implements AcceptFilter {

        @Override
        public boolean accept(InetSocketAddress peer, int conv) {
            throw new AssertionError("not called by the library");
        }

        @Override
        public boolean accept(InetSocketAddress peer, int conv, ByteBuf firstPayload) {
            String text = EmbeddedLink.read(firstPayload);
            examined.add(text);
            return text.startsWith("hello");
        }
    }

    private EmbeddedLink filtered() {
        return EmbeddedLink.create(server -> server.acceptFilter(new ByFirstMessage()), SessionRecorder::new);
    }

    @Test
    void firstMessageDecidesWhetherASessionOpens() {
        try (EmbeddedLink link = filtered()) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "recorded yesterday"));
            assertThat(link.accepted()).isEmpty();
            assertThat(link.server().dropped(DropReason.FILTERED)).isEqualTo(1);
            assertThat(link.server().sent().size()).as("no response").isZero();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "hello of today"));
            assertThat(link.accepted(0).messages()).as("the filter does not consume the message").containsExactly("hello of today");
            assertThat(examined).containsExactly("recorded yesterday", "hello of today");
        }
    }

    @Test
    void firstSegmentIsFoundAmongOthers() {
        try (EmbeddedLink link = filtered()) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 1, 0, "second"),
                WireSegment.push(CONV, 0, 0, "hello"), WireSegment.push(CONV, 2, 0, "third"));
            assertThat(examined).containsExactly("hello");
            assertThat(link.accepted(0).messages()).containsExactly("hello", "second", "third");
        }
    }

    @Test
    void filterSeesTheFirstFragmentOfALongMessage() {
        try (EmbeddedLink link = filtered()) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS,
                new WireSegment(CONV, SegmentHeader.CMD_PUSH, 1, WireSegment.WINDOW, 0, 0, 0, "hello, "));
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 1, 0, "world"));
            assertThat(examined).containsExactly("hello, ");
            assertThat(link.accepted(0).messages()).containsExactly("hello, world");
        }
    }

    @Test
    void emptyFirstMessageIsExamined() {
        try (EmbeddedLink link = filtered()) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, ""));
            assertThat(examined).containsExactly("");
            assertThat(link.accepted()).isEmpty();
        }
    }
}
