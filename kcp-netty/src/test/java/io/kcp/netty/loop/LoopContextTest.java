package io.kcp.netty.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentPool;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
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
}
