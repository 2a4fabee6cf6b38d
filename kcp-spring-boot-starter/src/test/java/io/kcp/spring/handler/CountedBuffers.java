package io.kcp.spring.handler;

import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.spring.KcpServerCustomizer;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;

/** Sets an allocator that counts the bytes that are not released. */
final class CountedBuffers implements KcpServerCustomizer {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

    @Override
    public void customize(String name, KcpServerBootstrap bootstrap) {
        bootstrap.option(ChannelOption.ALLOCATOR, allocator).childOption(ChannelOption.ALLOCATOR, allocator);
    }

    long outstandingBytes() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }
}
