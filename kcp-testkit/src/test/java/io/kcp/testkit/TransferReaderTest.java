package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;

/** {@link TransferReader} detects every deviation from the plan. */
class TransferReaderTest {

    private static final TransferPlan PLAN = TransferPlan.ofMessages(5, 3, 100);

    private final CountingAllocator buffers = new CountingAllocator(false);
    private final SeededContent content = PLAN.content();

    private ByteBuf part(long position, int bytes) {
        ByteBuf buffer = buffers.buffer(bytes);
        content.write(buffer, position, bytes);
        return buffer;
    }

    @Test
    void rightContentPasses() {
        TransferReader reader = new TransferReader(PLAN, true);
        for (int i = 0; i < 3; i++) {
            reader.onMessage(part(i * 100, 100));
        }
        assertThat(reader.failure()).isNull();
        assertThat(reader.isDone()).isTrue();
        assertThat(buffers.outstandingBytes()).isZero();
    }

    @Test
    void streamMayComeInAnyPieces() {
        TransferReader reader = new TransferReader(PLAN, false);
        reader.onMessage(part(0, 1));
        reader.onMessage(part(1, 13));
        reader.onMessage(part(14, 286));
        assertThat(reader.failure()).isNull();
        assertThat(reader.isDone()).isTrue();
    }

    @Test
    void duplicateMessageIsDetected() {
        TransferReader reader = new TransferReader(PLAN, true);
        reader.onMessage(part(0, 100));
        reader.onMessage(part(0, 100));
        assertThat(reader.failure()).contains("byte 100 differs");
    }

    @Test
    void otherBoundaryIsDetected() {
        TransferReader reader = new TransferReader(PLAN, true);
        reader.onMessage(part(0, 99));
        assertThat(reader.failure()).contains("99 bytes instead of 100");
    }

    @Test
    void changedByteIsFound() {
        for (int at = 0; at < 100; at++) {
            TransferReader reader = new TransferReader(PLAN, true);
            ByteBuf message = part(0, 100);
            message.setByte(at, message.getByte(at) ^ 0x10);
            reader.onMessage(message);
            assertThat(reader.failure()).contains("byte " + at + " differs");
        }
    }

    @Test
    void excessBytesAreDetected() {
        TransferReader reader = new TransferReader(PLAN, false);
        reader.onMessage(part(0, 301));
        assertThat(reader.failure()).contains("301 bytes of 300");
    }
}
