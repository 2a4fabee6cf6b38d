package io.kcp.testkit;

import io.kcp.core.SegmentHeader;
import io.kcp.core.ShardArrivals;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecDecoder;
import io.kcp.core.fec.FecEncoder;
import io.kcp.core.fec.FecHeader;
import io.kcp.core.fec.FecStats;
import io.kcp.core.fec.ShardPool;
import io.netty.buffer.ByteBuf;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The FEC and the cipher between a conversation and its link. The order of the steps is that of {@code FecCodec} and {@code CryptoCodec} in
 * kcp-netty. Probes are sent without an FEC header, and a datagram is delivered before it is passed to the FEC decoder.
 */
final class DatagramLayers {

    private static final int MAX_PROBE_SEGMENTS = 3;

    private final LayerSettings settings;
    private final CountingAllocator buffers;
    private final int conv;
    private final ShardPool shards = new ShardPool();
    private final @Nullable FecEncoder encoder;
    private final @Nullable DatagramCipher cipher;
    private @Nullable FecDecoder decoder;
    private long rejected;
    private long parityDatagrams;

    DatagramLayers(LayerSettings settings, CountingAllocator buffers, int conv, long seed) {
        this.settings = settings;
        this.buffers = buffers;
        this.conv = conv;
        FecConfig fec = settings.fec();
        encoder = fec == null ? null : settings.newEncoder().apply(fec, shards);
        CryptoConfig crypto = settings.crypto();
        // A simulation needs reproducible nonces. Other programs must use a secure source of randomness.
        cipher = crypto == null ? null : crypto.newCipher(new SplittableRandom(seed)::nextBytes);
    }

    /** Returns {@code true} if datagrams are sent unchanged. */
    boolean isEmpty() {
        return encoder == null && cipher == null;
    }

    /** Returns the number of bytes that the layers add before the payload of a datagram. */
    int headBytes() {
        return cipherHeadBytes() + (encoder == null ? 0 : FecHeader.LENGTH);
    }

    /** Returns the number of bytes that the layers add after the payload of a datagram. */
    int tailBytes() {
        return cipher == null ? 0 : cipher.tailBytes();
    }

    /** Returns the number of data shards in each FEC group that this endpoint sends, or 0 if it sends no parity. */
    int fecDataShards() {
        FecConfig fec = settings.fec();
        return fec == null ? 0 : fec.shape().dataShards();
    }

    int cipherBytes() {
        return cipherHeadBytes() + tailBytes();
    }

    private int cipherHeadBytes() {
        return cipher == null ? 0 : cipher.headBytes();
    }

    /** Returns the object that observes which data shards arrive, or null unless parity is adaptive. */
    @Nullable ShardArrivals arrivals() {
        return encoder == null ? null : encoder.arrivals();
    }

    /** Returns the number of datagrams that the cipher has rejected. */
    long rejected() {
        return rejected;
    }

    /** Returns the number of parity datagrams sent. */
    long parityDatagrams() {
        return parityDatagrams;
    }

    /** Returns the statistics of the FEC decoder. */
    FecStats fecStats() {
        return decoder == null ? FecStats.ZERO : decoder.stats();
    }

    // ---- outbound

    /**
     * Adds the FEC header to a datagram of the conversation, and encrypts it. The datagram is borrowed.
     *
     * @return the number of parity datagrams that must be sent with {@link #sendParity} after the datagram
     */
    int wrap(ByteBuf datagram, int nowMs) {
        int parity = encoder == null || isProbe(datagram) ? 0 : encoder.encode(datagram, nowMs);
        seal(datagram);
        return parity;
    }

    /**
     * Creates parity datagrams and passes them to a consumer, which takes them.
     *
     * @param mayAdd returns {@code true} if a datagram with the given number of bytes may be sent
     */
    void sendParity(int count, IntPredicate mayAdd, Consumer<ByteBuf> link) {
        FecEncoder sender = encoder;
        if (sender == null || count == 0) {
            return;
        }
        int parityBytes = sender.parityBytes();
        for (int i = 0; i < count && mayAdd.test(cipherBytes() + parityBytes); i++) {
            ByteBuf shard = buffers.buffer(cipherBytes() + parityBytes);
            shard.setIndex(cipherHeadBytes(), cipherHeadBytes());
            sender.writeParity(i, shard);
            seal(shard);
            parityDatagrams++;
            link.accept(shard);
        }
    }

    private void seal(ByteBuf datagram) {
        if (cipher != null) {
            cipher.seal(datagram);
        }
    }

    /** Returns {@code true} if a datagram has at most three segments, none of them with payload, and one of them is a WASK or a WINS. */
    private static boolean isProbe(ByteBuf datagram) {
        int offset = datagram.readerIndex();
        int bytes = datagram.readableBytes();
        if (bytes % SegmentHeader.LENGTH != 0 || bytes > MAX_PROBE_SEGMENTS * SegmentHeader.LENGTH) {
            return false;
        }
        boolean hasWindowSegment = false;
        for (int end = offset + bytes; offset < end; offset += SegmentHeader.LENGTH) {
            if (SegmentHeader.len(datagram, offset) != 0) {
                return false;
            }
            hasWindowSegment |= SegmentHeader.cmd(datagram, offset) >= SegmentHeader.CMD_WASK;
        }
        return hasWindowSegment;
    }

    // ---- inbound

    /** Receives the contents of a datagram. */
    interface Receiver {

        /**
         * Called for each KCP datagram. The callee must not release it.
         *
         * @param addedBytes number of bytes that the layers of the sender added to the datagram
         */
        void onDatagram(ByteBuf datagram, int addedBytes);

        /** Called for each KCP datagram that FEC recovered. The callee must not release it. */
        void onRecovered(ByteBuf datagram);

        /** Receives the size of a parity datagram. */
        void onParity(int bytes);
    }

    /** Decrypts a borrowed datagram, and passes its content and the datagrams that it recovers to the receiver. */
    void unwrap(ByteBuf datagram, int nowMs, Receiver receiver) {
        if (cipher != null && !cipher.open(datagram)) {
            rejected++;
            return;
        }
        int type = datagram.readableBytes() < FecHeader.LENGTH ? 0 : FecHeader.type(datagram, datagram.readerIndex());
        if (type == FecHeader.TYPE_DATA) {
            int length = shards.copyIn(datagram);
            receiver.onDatagram(datagram.skipBytes(FecHeader.LENGTH), cipherBytes() + FecHeader.LENGTH);
            deliverRecovered(decoder().decodeCopied(length, nowMs), receiver);
        } else if (type == FecHeader.TYPE_PARITY) {
            receiver.onParity(cipherBytes() + datagram.readableBytes());
            deliverRecovered(decoder().decode(datagram, nowMs), receiver);
        } else {
            receiver.onDatagram(datagram, cipherBytes());
        }
    }

    private void deliverRecovered(int count, Receiver receiver) {
        for (int i = 0; i < count; i++) {
            ByteBuf recovered = buffers.buffer(decoder().recoveredBytes(i));
            decoder().readRecovered(i, recovered);
            receiver.onRecovered(recovered);
            recovered.release();
        }
    }

    private FecDecoder decoder() {
        FecDecoder present = decoder;
        if (present == null) {
            present = new FecDecoder(settings.fec(), conv, shards);
            decoder = present;
        }
        return present;
    }

    void release() {
        if (encoder != null) {
            encoder.release();
        }
        if (decoder != null) {
            decoder.release();
        }
    }
}
