package io.kcp.testkit;

import io.kcp.core.KcpOutput;
import io.kcp.core.conversation.Kcp;
import io.netty.buffer.ByteBufAllocator;

/**
 * Creates the conversation of an endpoint. The tests of this module use other factories, whose conversations start at arbitrary sequence
 * numbers.
 */
@FunctionalInterface
interface KcpFactory {

    Kcp create(EndpointSettings settings, KcpOutput output, ByteBufAllocator allocator);

    /** Creates a conversation with the public constructor, which starts the sequence numbers at 0. */
    static Kcp standard(EndpointSettings settings, KcpOutput output, ByteBufAllocator allocator) {
        return new Kcp(settings.conv(), settings.config(), output, allocator, settings.timestampBase(), settings.clockMs());
    }
}
