package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A conversation whose allocator fails loses no buffer and stays usable. */
class KcpMemoryTest {

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final FailingAllocator allocator = new FailingAllocator(leaks.allocator());

    @Test
    void aStreamWriteThatFindsNoMemoryIsReleasedAndNotQueued() {
        Kcp kcp = kcp(KcpConfig.fast3().toBuilder().mode(KcpMode.STREAM).build());
        kcp.send(data(10), 0);
        ByteBuf second = data(20);
        allocator.fail(true);
        assertThatThrownBy(() -> kcp.send(second, 0)).isInstanceOf(OutOfMemoryError.class);
        assertThat(second.refCnt()).isZero();
        assertThat(kcp.unacknowledgedBytes()).isEqualTo(10);
        assertThat(kcp.stats().bytesSent()).isEqualTo(10);
        allocator.fail(false);
        kcp.send(data(20), 0);
        assertThat(kcp.unacknowledgedBytes()).isEqualTo(30);
        assertThat(kcp.waitingSegments()).isEqualTo(1);
    }

    @Test
    void aReceivedMessageThatFindsNoMemoryIsDeliveredTheNextTime() {
        Kcp kcp = kcp(KcpConfig.fast3());
        ByteBuf datagram = leaks.allocator().buffer().writeBytes(WireSegment.datagram(
            WireSegment.push(0, 0, new byte[300]).withFrg(1), WireSegment.push(1, 0, new byte[300])));
        kcp.input(datagram, false, 0);
        datagram.release();
        allocator.fail(true);
        assertThatThrownBy(kcp::receive).isInstanceOf(OutOfMemoryError.class);
        allocator.fail(false);
        ByteBuf message = kcp.receive();
        assertThat(message.readableBytes()).isEqualTo(600);
        message.release();
        assertThat(kcp.hasReceivable()).isFalse();
    }

    private Kcp kcp(KcpConfig config) {
        Kcp kcp = new Kcp(WireSegment.CONV, config, new CapturedOutput(leaks.allocator(), 0), new SegmentPool(allocator), 0, 0);
        leaks.atEnd(kcp::release);
        return kcp;
    }

    private ByteBuf data(int bytes) {
        return leaks.allocator().buffer(bytes).writeZero(bytes);
    }
}
