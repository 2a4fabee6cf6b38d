package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpConfig;
import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.core.internal.memory.SegmentPool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Short payloads that are received in order share memory, and {@code detachReceived} copies unread ones. */
@Tag("jdk")
class ShortPayloadTest {

    private static final byte[] DATA = {1, 2, 3};

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();
    private final List<ByteBuf> shared = new ArrayList<>();
    private final MemoryLimit held = new MemoryLimit();
    private IntFunction<ByteBuf> source = bytes -> leaks.allocator().buffer(bytes, bytes);
    private final SegmentPool pool = new SegmentPool(leaks.allocator(), held, bytes -> {
        ByteBuf buffer = source.apply(bytes);
        shared.add(buffer);
        return buffer;
    });

    private DrivenKcp driven() {
        return new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(16).build(), pool);
    }

    @Test
    void payloadInOrderSharesMemoryUntilItIsRead() {
        DrivenKcp driven = driven();
        driven.input(WireSegment.push(0, 0, DATA));
        ByteBuf message = driven.kcp.receive();
        assertThat(shared).hasSize(1).first().isSameAs(message);
        assertThat(message).isEqualTo(Unpooled.wrappedBuffer(DATA));
        message.release();
    }

    @Test
    void unreadPayloadKeepsNoSharedMemoryAfterDetach() {
        DrivenKcp driven = driven();
        for (int sn = 0; sn < 10; sn++) {
            driven.input(WireSegment.push(sn, 0, new byte[] {(byte) sn}));
        }
        assertThat(shared).hasSize(10).allSatisfy(buffer -> assertThat(buffer.refCnt()).isEqualTo(1));
        driven.kcp.detachReceived();
        assertThat(shared).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
        for (int sn = 0; sn < 10; sn++) {
            assertThat(driven.receive()).containsExactly(sn);
        }
    }

    @Test
    void fragmentsOfAnUnfinishedMessageKeepNoSharedMemoryAfterDetach() {
        DrivenKcp driven = driven();
        driven.input(WireSegment.push(0, 0, DATA).withFrg(2));
        driven.input(WireSegment.push(1, 0, DATA).withFrg(1));
        driven.kcp.detachReceived();
        assertThat(shared).hasSize(2).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
        driven.input(WireSegment.push(2, 0, DATA));
        assertThat(driven.receive()).containsExactly(1, 2, 3, 1, 2, 3, 1, 2, 3);
    }

    @Test
    void segmentsThatCannotBeReadSoonOwnTheirMemory() {
        DrivenKcp driven = driven();
        driven.input(WireSegment.push(1, 0, DATA));
        assertThat(shared).as("behind a gap").isEmpty();
        driven.input(WireSegment.push(0, 0, new byte[300]));
        assertThat(shared).as("large enough to share the datagram").isEmpty();
        held.onReserve(true);
        driven.input(WireSegment.push(2, 0, DATA));
        assertThat(shared).as("while memory is scarce").isEmpty();
        assertThat(driven.receiveAll()).hasSize(3);
    }

    @Test
    void failedAllocationLeavesTheSegmentUnacknowledged() {
        DrivenKcp driven = driven();
        IntFunction<ByteBuf> working = source;
        source = bytes -> {
            throw new OutOfMemoryError("no memory, thrown by the test");
        };
        assertThatThrownBy(() -> driven.input(WireSegment.push(0, 0, DATA))).isInstanceOf(OutOfMemoryError.class);
        assertThat(driven.kcp.nextExpectedSn()).isZero();
        source = working;
        driven.input(WireSegment.push(0, 0, DATA));
        assertThat(driven.receive()).containsExactly(DATA);
    }
}
