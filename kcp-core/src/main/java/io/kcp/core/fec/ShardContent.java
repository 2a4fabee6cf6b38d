package io.kcp.core.fec;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import java.nio.ByteOrder;

/** Validates data shards. A valid shard consists of a plausible SIZE field and complete segments of the conversation. */
final class ShardContent {

    private static final int CONV_SHIFT = 16;
    private static final int CMD_SHIFT = 48;
    private static final int SIZE_MASK = 0xffff;
    private static final int CMD_MASK = 0xff;
    private static final int MIN_BYTES = FecHeader.SIZE_LENGTH + SegmentHeader.LENGTH;

    private ShardContent() {
    }

    /**
     * Validates a shard.
     *
     * @param shardAt index of the field SIZE
     * @param atMost  the maximum valid SIZE in bytes
     * @return SIZE in bytes, or -1 if the shard is invalid
     */
    static int validBytes(ByteBuf bytes, int shardAt, int atMost, int conv) {
        if (atMost < MIN_BYTES) {
            return -1;
        }
        int size = bytes.getUnsignedShortLE(shardAt);
        if (size < MIN_BYTES || size > atMost) {
            return -1;
        }
        int end = shardAt + size;
        for (int offset = shardAt + FecHeader.SIZE_LENGTH; offset < end;) {
            if (end - offset < SegmentHeader.LENGTH || SegmentHeader.conv(bytes, offset) != conv
                || !isCommand(SegmentHeader.cmd(bytes, offset))) {
                return -1;
            }
            long len = SegmentHeader.len(bytes, offset);
            if (len > end - offset - SegmentHeader.LENGTH) {
                return -1;
            }
            offset += SegmentHeader.LENGTH + (int) len;
        }
        return size;
    }

    /**
     * Returns {@code false} if the first 8 bytes of a shard show that it is invalid. This check is cheap and detects most invalid shards.
     */
    static boolean mayStartValid(long firstWord, int atMost, int conv) {
        long word = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? firstWord : Long.reverseBytes(firstWord);
        int size = (int) word & SIZE_MASK;
        return size >= MIN_BYTES && size <= atMost && (int) (word >>> CONV_SHIFT) == conv
            && isCommand((int) (word >>> CMD_SHIFT) & CMD_MASK);
    }

    private static boolean isCommand(int cmd) {
        return cmd >= SegmentHeader.CMD_PUSH && cmd <= SegmentHeader.CMD_WINS;
    }
}
