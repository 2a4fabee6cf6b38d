package io.kcp.testkit;

import io.netty.buffer.ByteBuf;

/** Computes a 64-bit hash of numbers and bytes. Equal hashes show that two simulated runs were equal. */
final class TraceHash {

    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private long value = MULTIPLIER;

    long value() {
        return value;
    }

    void add(long number) {
        long mixed = (value ^ number) * MULTIPLIER;
        value = mixed ^ mixed >>> 29;
    }

    void add(ByteBuf bytes) {
        int index = bytes.readerIndex();
        int end = bytes.writerIndex();
        add(end - index);
        for (; end - index >= Long.BYTES; index += Long.BYTES) {
            add(bytes.getLongLE(index));
        }
        for (; index < end; index++) {
            add(bytes.getByte(index));
        }
    }
}
