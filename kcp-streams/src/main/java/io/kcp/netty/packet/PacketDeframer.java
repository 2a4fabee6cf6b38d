package io.kcp.netty.packet;

import io.kcp.netty.internal.base.BufferMemory;
import io.kcp.netty.internal.base.PartialInput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a stream of bytes into packets. An incomplete payload is stored in a buffer that grows with the received bytes and not with the
 * announced length. The buffer doubles in size, so that each byte of a payload is copied at most twice on average.
 */
final class PacketDeframer {

    /** Smaller payloads are always copied out of the read buffer, because a copy costs less than keeping that buffer alive. */
    private static final int MIN_SLICE_BYTES = 4_096;
    /**
     * Maximum ratio between the capacity of the read buffer and the length of a slice, because a slice keeps the whole read buffer alive.
     * Shorter payloads are copied.
     */
    private static final int MAX_CAPACITY_PER_SLICE = 4;
    /** Smallest capacity of the buffer of an incomplete payload, unless the payload is smaller. */
    private static final int MIN_CAPACITY_BYTES = 512;

    private final PacketFormat format;
    private final PartialInput memory;
    private final PacketChecksum checksum = new PacketChecksum();

    private int headerBytes;
    private int header;
    private @Nullable ByteBuf payload;
    private int trailerBytes;
    private int trailer;

    /**
     * Creates an assembler.
     *
     * @param memory counts the memory of the incomplete payload
     */
    PacketDeframer(PacketFormat format, PartialInput memory) {
        this.format = format;
        this.memory = memory;
    }

    /**
     * Returns the next payload, or null if the input ends before the end of the packet. The input is then fully consumed.
     *
     * @param in the received bytes, <b>borrowed</b>
     * @return the payload, <b>returned owned</b>; the input itself, retained, if the packet ends where the input ends
     * @throws PacketException if the peer violated the format
     */
    @Nullable ByteBuf next(ByteBufAllocator allocator, ByteBuf in) {
        if (!readHeader(in)) {
            return null;
        }
        ByteBuf whole = payload == null ? wholePacket(allocator, in) : null;
        if (whole != null) {
            headerBytes = 0;
            header = 0;
            return whole;
        }
        return readPayload(allocator, in) && readTrailer(in) ? takePayload() : null;
    }

    private boolean readHeader(ByteBuf in) {
        if (headerBytes == PacketFormat.HEADER_BYTES) {
            return true;
        }
        if (headerBytes == 0 && in.readableBytes() >= PacketFormat.HEADER_BYTES) {
            header = in.readIntLE();
            headerBytes = PacketFormat.HEADER_BYTES;
        } else {
            while (headerBytes < PacketFormat.HEADER_BYTES) {
                if (!in.isReadable()) {
                    return false;
                }
                header |= in.readUnsignedByte() << 8 * headerBytes++;
            }
        }
        if (Integer.compareUnsigned(header, format.maxPayloadBytes()) > 0) {
            throw new PacketException(PacketException.Reason.PAYLOAD_TOO_LARGE, "The peer announced a payload of "
                + Integer.toUnsignedLong(header) + " bytes, but the limit is " + format.maxPayloadBytes() + " (maxPayloadBytes).");
        }
        return true;
    }

    /** Returns the payload if the input holds all of it and its checksum, else null. */
    private @Nullable ByteBuf wholePacket(ByteBufAllocator allocator, ByteBuf in) {
        int length = header;
        if (in.readableBytes() < length + format.trailerBytes()) {
            return null;
        }
        int start = in.readerIndex();
        int end = start + length;
        if (format.checksum()) {
            verify(in, start, length, in.getIntLE(end));
        }
        in.readerIndex(end + format.trailerBytes());
        if (length == 0) {
            return Unpooled.EMPTY_BUFFER;
        }
        if (length < MIN_SLICE_BYTES || (long) length * MAX_CAPACITY_PER_SLICE < BufferMemory.rootCapacity(in)) {
            return allocator.buffer(length, length).writeBytes(in, start, length);
        }
        return in.isReadable() ? in.retainedSlice(start, length) : in.setIndex(start, end).retain();
    }

    private boolean readPayload(ByteBufAllocator allocator, ByteBuf in) {
        int length = header;
        ByteBuf stored = payload;
        if (stored == null) {
            int available = Math.min(length, in.readableBytes());
            int capacity = Math.min(length, Math.max(MIN_CAPACITY_BYTES, 2 * available));
            reserve(capacity);
            stored = allocator.buffer(capacity, length);
            payload = stored;
        }
        int available = Math.min(length - stored.writerIndex(), in.readableBytes());
        int needed = stored.writerIndex() + available;
        if (needed > stored.capacity()) {
            int capacity = Math.min(length, Math.max(needed, 2 * stored.capacity()));
            reserve(capacity);
            stored.capacity(capacity);
        }
        stored.writeBytes(in, available);
        return needed == length;
    }

    /** Counts the memory of the incomplete payload. */
    private void reserve(int capacity) {
        if (!memory.trySetBytes(capacity)) {
            throw new PacketException(PacketException.Reason.MEMORY_LIMIT, "The incomplete packets of all channels use too much memory"
                + " for a payload of " + capacity + " bytes.");
        }
    }

    /** Returns the number of received bytes of the incomplete payload. */
    int payloadBytes() {
        return payload == null ? 0 : payload.writerIndex();
    }

    private boolean readTrailer(ByteBuf in) {
        while (trailerBytes < format.trailerBytes()) {
            if (!in.isReadable()) {
                return false;
            }
            trailer |= in.readUnsignedByte() << 8 * trailerBytes++;
        }
        return true;
    }

    private ByteBuf takePayload() {
        ByteBuf complete = payload;
        assert complete != null;
        if (format.checksum()) {
            verify(complete, 0, header, trailer);
        }
        payload = null;
        forget();
        return complete;
    }

    private void verify(ByteBuf buffer, int index, int length, int received) {
        int computed = checksum.of(buffer, index, length);
        if (computed != received) {
            throw new PacketException(PacketException.Reason.CHECKSUM_MISMATCH, "The CRC-32 of a packet with a payload of " + length
                + " bytes is 0x" + Integer.toHexString(computed) + ", but the peer sent 0x" + Integer.toHexString(received) + ".");
        }
    }

    /** Returns the received bytes of the incomplete packet, or null if there are none. The buffer is <b>returned owned</b>. */
    @Nullable ByteBuf takeReceived(ByteBufAllocator allocator) {
        int bytes = headerBytes + payloadBytes() + trailerBytes;
        if (bytes == 0) {
            return null;
        }
        ByteBuf received = allocator.buffer(bytes, bytes);
        append(received, header, headerBytes);
        if (payload != null) {
            received.writeBytes(payload);
        }
        append(received, trailer, trailerBytes);
        release();
        return received;
    }

    private static void append(ByteBuf to, int value, int bytes) {
        for (int i = 0; i < bytes; i++) {
            to.writeByte(value >>> 8 * i);
        }
    }

    /** Releases the received bytes of the incomplete packet. */
    void release() {
        if (payload != null) {
            payload.release();
            payload = null;
        }
        forget();
    }

    private void forget() {
        memory.trySetBytes(0);
        headerBytes = 0;
        header = 0;
        trailerBytes = 0;
        trailer = 0;
    }
}
