package io.kcp.netty.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpTlsException;
import io.kcp.netty.internal.base.PartialInputLimit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The decoder forwards complete TLS records, and stores nothing that it does not count. */
@Timeout(60)
class RecordAssemblerTest {

    private @Nullable Throwable closeCause;
    private final KcpChannel session = (KcpChannel) Proxy.newProxyInstance(KcpChannel.class.getClassLoader(),
        new Class<?>[] {KcpChannel.class}, (proxy, method, arguments) -> {
            assertThat(method.getName()).isEqualTo("closeBecause");
            closeCause = (Throwable) arguments[0];
            return null;
        });
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final PartialInputLimit memory = new PartialInputLimit(1 << 20, 0);
    private final RecordAssembler decoder = new RecordAssembler(session, memory);
    private final EmbeddedChannel channel = new EmbeddedChannel(decoder);
    private final ByteArrayOutputStream forwarded = new ByteArrayOutputStream();

    RecordAssemblerTest() {
        channel.config().setAllocator(allocator);
    }

    @AfterEach
    void everyBufferIsReleased() {
        channel.finishAndReleaseAll();
        assertThat(memory.usedBytes()).isZero();
        assertThat(allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory()).isZero();
    }

    private static byte[] records(SplittableRandom random, int count) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            int length = random.nextInt(1 << random.nextInt(1, 15));
            bytes.writeBytes(new byte[] {(byte) random.nextInt(20, 25), 3, (byte) random.nextInt(5), (byte) (length >> 8), (byte) length});
            byte[] payload = new byte[length];
            random.nextBytes(payload);
            bytes.writeBytes(payload);
        }
        return bytes.toByteArray();
    }

    private void receive(byte[] bytes, int from, int to) {
        channel.writeInbound(allocator.buffer(Math.max(1, to - from)).writeBytes(bytes, from, to - from));
        for (ByteBuf next = channel.readInbound(); next != null; next = channel.readInbound()) {
            forwarded.writeBytes(ByteBufUtil.getBytes(next));
            next.release();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void recordsAreForwardedWholeHoweverTheyAreSplit(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] records = records(random, 200);
        int start = 0;
        int from = 0;
        while (from < records.length) {
            int to = Math.min(records.length, from + random.nextInt(1 << random.nextInt(1, 16)));
            receive(records, from, to);
            from = to;
            for (int length = recordBytes(records, start); start + length <= from; length = recordBytes(records, start)) {
                start += length;
            }
            assertThat(forwarded.size()).as("seed %d", seed).isEqualTo(start);
            long stored = allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
            assertThat(stored).isEqualTo(memory.usedBytes()).isLessThanOrEqualTo(Math.max(512, 2L * (from - start)));
        }
        assertThat(forwarded.toByteArray()).as("seed %d", seed).isEqualTo(records);
    }

    private static int recordBytes(byte[] records, int start) {
        return start + 5 > records.length ? Integer.MAX_VALUE / 2 : 5 + (records[start + 3] & 0xff) * 256 + (records[start + 4] & 0xff);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n\r\n", "\u0016\u0003\u0001\u00ff\u00ff12345", "\u0016\u0002\u0001\u0000\u000512345",
        "\u0017\u0003\u0003\u00ff\u00ff12345", "\u0016\u0001\u0001\u00ff\u00ff12345", "\u0016\u00fe\u00fd\u00ff\u00ff12345",
        "\u00ff\u00ff\u0001\u0003\u000112345"})
    void headerThatIsNotTlsClosesTheSession(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        receive(bytes, 0, 3);
        assertThat(closeCause).isNull();
        receive(bytes, 3, 8);
        assertThat(closeCause).isInstanceOfSatisfying(KcpTlsException.class,
            cause -> assertThat(cause).hasMessageContaining("not TLS"));
        receive(bytes, 8, bytes.length);
        assertThat(forwarded.size()).isZero();
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void completeRecordsBeforeAnInvalidHeaderAreNotForwarded() {
        receive(new byte[] {0x16, 3, 1, 0, 1, 9, 'G', 'E', 'T', ' ', '/'}, 0, 11);
        assertThat(closeCause).isInstanceOf(KcpTlsException.class);
        assertThat(forwarded.size()).isZero();
    }

    @Test
    void incompleteRecordIsReleasedOnClose() {
        receive(new byte[] {0x16, 3, 1, 0x40, 0, 1, 2, 3}, 0, 8);
        assertThat(memory.usedBytes()).isPositive();
        channel.close();
        channel.runPendingTasks();
        assertThat(memory.usedBytes()).isZero();
        assertThat(forwarded.size()).isZero();
    }

    @Test
    void readsAreWithheldWhileATaskRuns() {
        int[] reads = new int[1];
        channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext context) {
                reads[0]++;
            }
        });
        decoder.onTaskStarted();
        channel.read();
        channel.read();
        assertThat(reads[0]).isZero();
        decoder.onTaskStarted();
        decoder.onTaskEnded();
        assertThat(reads[0]).as("the second task has not ended").isZero();
        decoder.onTaskEnded();
        assertThat(reads[0]).isEqualTo(1);
        channel.read();
        assertThat(reads[0]).isEqualTo(2);
        channel.pipeline().removeFirst();
    }
}
