package io.kcp.netty.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.internal.memory.SegmentPool;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopContextTest {

    @Test
    void handlersOfOneLoopShareOneContext() {
        EmbeddedChannel one = new EmbeddedChannel();
        EmbeddedChannel two = new EmbeddedChannel();
        LoopContext context = LoopContext.of(one.eventLoop());
        assertThat(LoopContext.of(one.eventLoop())).isSameAs(context);
        assertThat(LoopContext.of(two.eventLoop())).isNotSameAs(context);
        one.finish();
        two.finish();
    }

    @Test
    void eachAllocatorHasItsOwnSegments() {
        EmbeddedChannel channel = new EmbeddedChannel();
        UnpooledByteBufAllocator other = new UnpooledByteBufAllocator(true);
        LoopContext context = LoopContext.of(channel.eventLoop());
        SegmentPool segments = context.segments(channel.alloc());
        assertThat(context.segments(channel.alloc())).isSameAs(segments);
        assertThat(context.segments(other)).isNotSameAs(segments);
        channel.finish();
    }

    private static EmbeddedChannel channel(MockTicker clock) {
        return EmbeddedChannel.builder().ticker(clock).handlers(new ChannelInboundHandlerAdapter()).build();
    }

    /** Reads one batch of a socket and serves its sessions. */
    private static void readAndServe(LoopContext context, EmbeddedChannel socket, boolean drained) {
        context.onRead(socket, drained);
        context.onServed();
    }

    /** The batches of one socket say nothing about another socket of the event loop. */
    @Test
    void drainedSocketDoesNotEndTheBacklogOfAnother() {
        MockTicker clock = Ticker.newMockTicker();
        EmbeddedChannel full = channel(clock);
        EmbeddedChannel drained = channel(clock);
        LoopContext context = LoopContext.of(full.eventLoop());
        clock.advanceMillis(10_000); // the latest reading of the clock is old if no datagram of the batch reached a session
        int behindMs = 0;
        for (int i = 0; i < 300; i++) {
            readAndServe(context, full, false);
            readAndServe(context, drained, true);
            if (context.isBehind()) {
                behindMs += 10;
            }
            clock.advanceMillis(10);
            context.nowMs();
        }
        assertThat(behindMs).isEqualTo(LoopContext.MAX_BACKLOG_MS);
        readAndServe(context, full, true);
        readAndServe(context, full, false);
        assertThat(context.isBehind()).as("a new backlog").isTrue();
        context.leave(full);
        assertThat(context.isBehind()).as("the socket is closed").isFalse();
        full.finish();
        drained.finish();
    }

    @Test
    void socketStaysBackloggedWhenAnotherOneIsDrained() {
        MockTicker clock = Ticker.newMockTicker();
        EmbeddedChannel one = channel(clock);
        EmbeddedChannel two = channel(clock);
        EmbeddedChannel three = channel(clock);
        LoopContext context = LoopContext.of(one.eventLoop());
        for (EmbeddedChannel socket : List.of(one, two, three)) {
            context.onRead(socket, false);
        }
        context.onServed();
        for (EmbeddedChannel socket : List.of(three, one, two)) {
            assertThat(context.isBehind()).isTrue();
            readAndServe(context, socket, true);
        }
        assertThat(context.isBehind()).as("all sockets are drained").isFalse();
        List.of(one, two, three).forEach(EmbeddedChannel::finish);
    }

    /** Otherwise a flood of one socket would let the segments of all other sockets time out while their acknowledgements wait. */
    @Test
    void longBacklogOfOneSocketDoesNotHideANewOneOfAnother() {
        MockTicker clock = Ticker.newMockTicker();
        EmbeddedChannel flooded = channel(clock);
        EmbeddedChannel full = channel(clock);
        LoopContext context = LoopContext.of(flooded.eventLoop());
        context.onRead(flooded, false);
        clock.advanceMillis(LoopContext.MAX_BACKLOG_MS);
        context.nowMs();
        readAndServe(context, flooded, false);
        assertThat(context.isBehind()).as("a long backlog").isFalse();
        readAndServe(context, full, false);
        assertThat(context.isBehind()).as("a new backlog").isTrue();
        readAndServe(context, full, true);
        assertThat(context.isBehind()).as("the new backlog is drained").isFalse();
        flooded.finish();
        full.finish();
    }
}
