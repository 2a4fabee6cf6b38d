package io.kcp.bench.attack;

import io.kcp.bench.attack.AttackSources.Source;
import io.kcp.core.SegmentHeader;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Buffer in which an attack builds its datagrams one after the other. If the attacker has the key, {@link #send} encrypts the datagram. Not
 * thread-safe.
 */
final class AttackDatagram implements AutoCloseable {

    /** Size of datagrams that fill an Ethernet frame. */
    static final int LARGE_BYTES = 1_400;

    private static final int CAPACITY_BYTES = 2_048;
    private static final int RANDOM_BYTES = 1 << 20;
    /** Receive window that forged segments advertise. */
    private static final int WINDOW_SEGMENTS = 128;

    final SplittableRandom random = new SplittableRandom(16);
    private final @Nullable DatagramCipher cipher;
    private final @Nullable Integer onlyConv;
    private final ByteBuf buffer = Unpooled.directBuffer(CAPACITY_BYTES);
    private final ByteBuf randomBytes = Unpooled.directBuffer(RANDOM_BYTES);

    /**
     * Creates the buffer of an attacker that has the key, or that needs no key because {@code crypto} is null.
     *
     * @param onlyConv the only conversation id that the server accepts, or null
     */
    AttackDatagram(@Nullable CryptoConfig crypto, @Nullable Integer onlyConv) {
        this.onlyConv = onlyConv;
        cipher = crypto == null ? null : crypto.newCipher(new SecureRandom()::nextBytes);
        while (randomBytes.isWritable()) {
            randomBytes.writeLong(random.nextLong());
        }
    }

    /** Returns a random conversation id for a new session, or the only one that the server accepts. */
    int newConv() {
        return onlyConv == null ? random.nextInt() : onlyConv;
    }

    /** Removes the content. */
    AttackDatagram clear() {
        int head = cipher == null ? 0 : cipher.headBytes();
        buffer.setIndex(head, head);
        return this;
    }

    /** Replaces the content with random bytes, without leaving room for a cipher header. */
    AttackDatagram garbage(int bytes) {
        buffer.clear();
        buffer.writeBytes(randomBytes, random.nextInt(RANDOM_BYTES - bytes), bytes);
        return this;
    }

    /** Replaces the content with the given bytes. */
    AttackDatagram bytes(byte[] bytes) {
        buffer.clear().writeBytes(bytes);
        return this;
    }

    /** Overwrites eight bytes of the content. */
    void setLong(int offset, long value) {
        buffer.setLong(buffer.readerIndex() + offset, value);
    }

    /** Appends a segment with an empty or random payload. */
    AttackDatagram segment(int conv, int cmd, int wnd, int ts, int sn, int una, int payloadBytes) {
        SegmentHeader.write(buffer, conv, cmd, 0, wnd, ts, sn, una, payloadBytes);
        buffer.writeBytes(randomBytes, 0, payloadBytes);
        return this;
    }

    /** Appends the first segment of a new session. */
    AttackDatagram opener(int conv, int payloadBytes) {
        return segment(conv, SegmentHeader.CMD_PUSH, WINDOW_SEGMENTS, random.nextInt(), 0, 0, payloadBytes);
    }

    /** Appends the FEC header of a shard with random content. */
    AttackDatagram shard(int seqid, int type, int payloadBytes) {
        buffer.writeIntLE(seqid).writeShortLE(type).writeShortLE(2 + payloadBytes);
        buffer.writeBytes(randomBytes, random.nextInt(RANDOM_BYTES - payloadBytes), payloadBytes);
        return this;
    }

    /** Encrypts the content if the attacker has a key, and returns a copy that the caller must release. */
    ByteBuf sealedCopy() {
        if (cipher != null) {
            cipher.seal(buffer);
        }
        return buffer.copy();
    }

    /** Decrypts a datagram of the server in place. Returns {@code false} if the datagram cannot be decrypted. */
    boolean open(ByteBuf datagram) {
        return cipher == null || cipher.open(datagram);
    }

    /** Encrypts the content if the attacker has a key, and sends it. */
    boolean send(AttackSources sources, Source source) throws IOException {
        if (cipher != null) {
            cipher.seal(buffer);
        }
        return sendAsIs(sources, source);
    }

    /** Sends the content without encrypting it. */
    boolean sendAsIs(AttackSources sources, Source source) throws IOException {
        return sources.send(source, buffer.internalNioBuffer(buffer.readerIndex(), buffer.readableBytes()));
    }

    @Override
    public void close() {
        buffer.release();
        randomBytes.release();
    }
}
