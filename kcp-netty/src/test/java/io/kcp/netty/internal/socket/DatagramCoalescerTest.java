package io.kcp.netty.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.channel.unix.SegmentedDatagramPacket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jdk")
class DatagramCoalescerTest {

    private static final InetSocketAddress PEER = new InetSocketAddress("10.0.0.1", 9_000);
    private static final InetSocketAddress OTHER_PEER = new InetSocketAddress("10.0.0.2", 9_000);
    private static final int EIO = -5;
    private static final int EINVAL = -22;
    private static final int EMSGSIZE = -90;
    private static final int ENOBUFS = -105;
    private static final int ECONNREFUSED = -111;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<Throwable> exceptions = new ArrayList<>();
    private final DatagramSlab slab = new DatagramSlab(1 << 16);
    private RunSender sender = RunSender.SOCKET;
    private DatagramCoalescer coalescer = coalescer(64);
    private byte nextByte;

    @BeforeEach
    void start() {
        channel.config().setAllocator(allocator);
        install(coalescer);
    }

    private DatagramCoalescer coalescer(int maxDatagrams) {
        return new DatagramCoalescer(maxDatagrams, slab, datagram -> sender);
    }

    private void install(DatagramCoalescer handler) {
        coalescer = handler;
        channel.pipeline().addLast(handler);
    }

    @AfterEach
    void everythingIsGivenBack() {
        channel.finishAndReleaseAll();
        slab.release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private DatagramPacket packet(int bytes, InetSocketAddress peer) {
        ByteBuf datagram = slab.carve(allocator, bytes);
        for (int i = 0; i < bytes; i++) {
            datagram.writeByte(nextByte++);
        }
        return new DatagramPacket(datagram, peer);
    }

    private void write(DatagramPacket packet) {
        channel.pipeline().write(packet, channel.voidPromise());
    }

    private void write(int bytes) {
        write(packet(bytes, PEER));
    }

    /** Returns the packets sent, as "datagrams x bytes" or "bytes". Verifies that all data was sent in order. */
    private List<String> flushed() {
        channel.flush();
        List<String> left = new ArrayList<>();
        byte expected = 0;
        for (DatagramPacket packet = channel.readOutbound(); packet != null; packet = channel.readOutbound()) {
            ByteBuf content = packet.content();
            int bytes = content.readableBytes();
            if (packet instanceof SegmentedDatagramPacket run) {
                int count = (bytes + run.segmentSize() - 1) / run.segmentSize();
                int rest = bytes % run.segmentSize();
                left.add(count + "x" + run.segmentSize() + (rest == 0 ? "" : "-" + rest));
            } else {
                left.add(Integer.toString(bytes));
            }
            while (content.isReadable()) {
                assertThat(content.readByte()).isEqualTo(expected++);
            }
            packet.release();
        }
        assertThat(expected).as("all that was written").isEqualTo(nextByte);
        nextByte = 0;
        return left;
    }

    @Test
    void aRunOfEqualDatagramsLeavesAsOne() {
        for (int i = 0; i < 5; i++) {
            write(1_400);
        }
        assertThat(flushed()).containsExactly("5x1400");
        assertThat(coalescer.runs()).isEqualTo(1);
    }

    @Test
    void aSingleDatagramLeavesAsItIs() {
        write(1_400);
        assertThat(flushed()).containsExactly("1400");
        assertThat(coalescer.runs()).isZero();
    }

    @Test
    void aShorterDatagramIsTheLastOfItsRun() {
        write(100);
        write(100);
        write(40);
        write(100);
        write(100);
        assertThat(flushed()).containsExactly("3x100-40", "2x100");
    }

    @Test
    void aLongerDatagramBeginsARun() {
        write(100);
        write(100);
        write(101);
        write(101);
        assertThat(flushed()).containsExactly("2x100", "2x101");
    }

    @Test
    void anotherPeerBeginsARun() {
        write(100);
        write(100);
        write(packet(100, OTHER_PEER));
        write(packet(100, new InetSocketAddress(OTHER_PEER.getAddress(), OTHER_PEER.getPort())));
        write(100);
        assertThat(flushed()).containsExactly("2x100", "2x100", "100");
    }

    @Test
    void whatDoesNotLieBehindTheLastOneBeginsARun() {
        write(100);
        DatagramPacket late = packet(100, PEER);
        DatagramPacket gap = packet(100, PEER);
        nextByte = 100;
        write(100);
        channel.flush();
        late.release();
        gap.release();
        assertThat(flushed()).containsExactly("100", "100");
    }

    @Test
    void bytesOfOthersMemoryAreNotJoined() {
        for (int i = 0; i < 3; i++) {
            ByteBuf own = allocator.directBuffer(10).writeByte(nextByte++);
            write(new DatagramPacket(own, PEER));
        }
        ByteBuf both = allocator.directBuffer(20).writeByte(nextByte++).writeByte(nextByte++);
        write(new DatagramPacket(both.readRetainedSlice(1), PEER));
        write(new DatagramPacket(both, PEER));
        assertThat(flushed()).as("adjacent, but of no slab").containsExactly("1", "1", "1", "1", "1");
    }

    @Test
    void noRunIsLongerThanItMayBe() {
        channel.pipeline().remove(coalescer);
        install(coalescer(4));
        for (int i = 0; i < 9; i++) {
            write(10);
        }
        assertThat(flushed()).containsExactly("4x10", "4x10", "10");
    }

    @Test
    void noRunHasMoreBytesThanAnIpPacket() {
        for (int i = 0; i < 47; i++) {
            write(1_390);
        }
        assertThat(flushed()).containsExactly("46x1390", "1390");
    }

    /** Slabs that are allocated one after the other are often adjacent in memory. */
    @Test
    void datagramsOfTwoSlabsAreNotJoined() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            for (int j = 0; j < 8; j++) {
                write(8_192);
            }
            expected.addAll(List.of("7x8192", "8192"));
        }
        assertThat(flushed()).containsExactlyElementsOf(expected);
    }

    @Test
    void aWriteWithAPromiseIsNotJoinedAndKeepsItsPlace() {
        write(100);
        write(100);
        ChannelPromise promise = channel.newPromise();
        channel.write(packet(100, PEER), promise);
        write(100);
        assertThat(flushed()).containsExactly("2x100", "100", "100");
        assertThat(promise.isSuccess()).isTrue();
    }

    @Test
    void whatIsHeldWhenTheHandlerLeavesIsWritten() {
        write(100);
        write(100);
        channel.pipeline().remove(coalescer);
        assertThat(flushed()).containsExactly("2x100");
    }

    @Test
    void aSenderThatSendsSinglyGetsSingleDatagrams() {
        sender = RunSender.SINGLE;
        write(100);
        write(100);
        assertThat(flushed()).containsExactly("100", "100");
    }

    private void refuse(int error) {
        refuse(error, Integer.MAX_VALUE);
    }

    private void refuse(int error, int times) {
        assumeTrue(Epoll.isAvailable(), "errors of the system need its native library");
        int[] left = {times};
        channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                if (message instanceof SegmentedDatagramPacket run && left[0]-- > 0) {
                    run.release();
                    promise.tryFailure(new NativeIoException("sendmmsg", error));
                } else {
                    context.write(message, promise);
                }
            }
        });
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                exceptions.add(cause);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {EIO, EINVAL, EMSGSIZE})
    void aRunThatIsRefusedLeavesOneByOneAndSoDoesAllThatFollows(int error) {
        refuse(error);
        write(100);
        write(100);
        write(30);
        assertThat(flushed()).containsExactly("100", "100", "30");
        write(100);
        write(100);
        assertThat(flushed()).containsExactly("100", "100");
        assertThat(coalescer.refusedRuns()).isEqualTo(1);
        assertThat(exceptions).isEmpty();
    }

    /** A sender that represents one session. */
    private static final class OneSender implements RunSender {

        private boolean stopped;

        @Override
        public boolean maySendRuns() {
            return !stopped;
        }

        @Override
        public boolean stopSendingRuns() {
            stopped = true;
            return true;
        }
    }

    @Test
    void refusedRunStopsTheRunsOfItsSenderOnly() {
        refuse(EMSGSIZE);
        OneSender refused = new OneSender();
        sender = refused;
        write(100);
        write(100);
        assertThat(flushed()).containsExactly("100", "100");
        assertThat(refused.stopped).isTrue();
        write(100);
        write(100);
        assertThat(flushed()).containsExactly("100", "100");
        assertThat(coalescer.refusedRuns()).isEqualTo(1);
        sender = new OneSender();
        write(100);
        write(100);
        assertThat(flushed()).containsExactly("100", "100");
        assertThat(coalescer.refusedRuns()).as("another sender tries for itself").isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {ECONNREFUSED, EMSGSIZE})
    void aRunThatMeetsTheErrorOfAnEarlierDatagramIsSentAgainOnce(int error) {
        refuse(error, 1);
        write(100);
        write(100);
        assertThat(flushed()).containsExactly("2x100");
        assertThat(exceptions).isEmpty();
        assertThat(coalescer.refusedRuns()).isZero();
    }

    private void assertRunIsDroppedWithItsError() {
        write(100);
        write(100);
        channel.flush();
        nextByte = 0;
        assertThat(flushed()).isEmpty();
        assertThat(exceptions).singleElement().isInstanceOf(NativeIoException.class);
    }

    @Test
    void aPeerThatIsNotThereCostsARunItsDatagrams() {
        refuse(ECONNREFUSED, 2);
        assertRunIsDroppedWithItsError();
    }

    @Test
    void anotherErrorIsTheErrorOfADatagram() {
        refuse(ENOBUFS);
        assertRunIsDroppedWithItsError();
        assertThat(coalescer.refusedRuns()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, 65})
    void aLimitThatMakesNoSenseIsRefused(int datagrams) {
        assertThatThrownBy(() -> coalescer(datagrams)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("maxDatagrams: " + datagrams);
    }
}
