package io.kcp.netty.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class QueuedWritesTest {

    @Test
    void onlySmallPartsOfLargeBuffersAreCopied() {
        ByteBuf large = Unpooled.directBuffer(65_536).writeZero(65_536);
        assertThat(QueuedWrites.isSmallSlice(large)).isFalse();
        assertThat(QueuedWrites.isSmallSlice(large.slice(0, 20_000))).isTrue();
        assertThat(QueuedWrites.isSmallSlice(large.slice(0, 60_000).slice(0, 10))).isTrue();
        assertThat(QueuedWrites.isSmallSlice(large.slice(0, 40_000))).isFalse();
        large.release();
    }
}
