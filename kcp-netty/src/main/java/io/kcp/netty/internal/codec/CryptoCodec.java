package io.kcp.netty.internal.codec;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.kcp.netty.DropReason;
import io.kcp.netty.internal.admission.DecryptionFailureLog;
import io.kcp.netty.internal.channel.DatagramLayer;
import io.kcp.netty.internal.channel.DropCounters;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.kcp.netty.internal.loop.DecryptionBudget;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.PeerTable;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.ReferenceCountUtil;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts outbound datagrams and decrypts inbound datagrams in place. It is the first of the three handlers of a datagram channel, nearest
 * to the socket. It drops datagrams that it cannot decrypt, counts them as {@link DropReason#DECRYPTION_FAILED} and logs at most one line
 * per minute about them, at level INFO. It drops datagrams that this side encrypted itself and counts them as {@link DropReason#REFLECTED}.
 *
 * <p>During a key rotation ({@link CryptoConfig#alsoOpening}), sessions that this side opened use the first key. Sessions that a peer
 * opened use the key of their first datagram, unless the peer keeps using another key.
 *
 * <p>A codec recognizes datagrams encrypted by another codec of its own side only if both configurations share a reflection guard
 * ({@link CryptoConfig#withReflectionGuard}). The sockets of one server should share a guard; a client and a server must not.
 *
 * <p>Each channel needs its own instance. The wire format is described in section 5 of {@code wire-format-layers.md}.
 */
public final class CryptoCodec extends ChannelDuplexHandler implements DatagramLayer {

    private static final SecureRandom GUARD_RANDOM = new SecureRandom();
    private static final int FAILED = -1;
    private static final int REFLECTED = -2;

    private final CryptoConfig config;
    private final DecryptionFailureLog decryptionFailures;
    private final int headBytes;
    private final int tailBytes;
    private final int leastOverheadBytes;
    private DatagramCipher[] ciphers = {};
    private @Nullable DropCounters drops;
    private @Nullable LoopContext loop;
    private int latestKeyIndex;

    /**
     * Creates a codec.
     *
     * @param config the cipher and key, with any additional openers; the codec adds a reflection guard if there is none
     * @throws IllegalArgumentException if the configuration has the cipher {@code null}, because a channel without a cipher needs no codec
     */
    public CryptoCodec(CryptoConfig config) {
        this(config, new DecryptionFailureLog());
    }

    /** Creates a codec that reports decryption failures to a log, which the codecs of several sockets may share. */
    public CryptoCodec(CryptoConfig config, DecryptionFailureLog decryptionFailures) {
        if (config.isNull()) {
            throw new IllegalArgumentException("config: " + config.cipherName() + " (expected: a cipher; leave out the codec for none)");
        }
        this.config = guarded(config);
        this.decryptionFailures = decryptionFailures;
        int head = config.headBytes();
        int tail = config.tailBytes();
        int least = head + tail;
        for (CryptoConfig opener : this.config.openers()) {
            head = Math.max(head, opener.headBytes());
            tail = Math.max(tail, opener.tailBytes());
            least = Math.min(least, opener.headBytes() + opener.tailBytes());
        }
        headBytes = head;
        tailBytes = tail;
        leastOverheadBytes = least;
    }

    /**
     * Returns the given configuration if it has a reflection guard, otherwise a copy with a new guard. All sockets of one side must share
     * the guard.
     */
    public static CryptoConfig guarded(CryptoConfig config) {
        return config.withReflectionGuard(GUARD_RANDOM::nextBytes, new AtomicLong()::getAndIncrement);
    }

    @Override
    public boolean isAuthenticated() {
        return config.isAuthenticated();
    }

    @Override
    public int headBytes() {
        return headBytes;
    }

    @Override
    public int tailBytes() {
        return tailBytes;
    }

    @Override
    public int leastCipherBytes() {
        return leastOverheadBytes;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        LoopContext loopContext = LoopContext.of(context.channel().eventLoop());
        List<CryptoConfig> openers = config.openers();
        DatagramCipher[] all = new DatagramCipher[openers.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = loopContext.cipher(openers.get(i));
        }
        ciphers = all;
        loop = loopContext;
        drops = DropCounters.of(context.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof DatagramPacket packet)) {
            context.fireChannelRead(message);
            return;
        }
        int keyIndex = openOrRelease(packet);
        if (keyIndex < 0) {
            drop(context, packet, keyIndex == REFLECTED ? DropReason.REFLECTED : DropReason.DECRYPTION_FAILED);
            return;
        }
        latestKeyIndex = keyIndex;
        PeerTable<?> sessions = ciphers.length == 1 ? null : PeerTable.of(context.channel());
        if (sessions != null) {
            // Stores the index of the key in the session table, because the session that will receive the datagram may not exist yet.
            sessions.keyIndex(keyIndex);
        }
        context.fireChannelRead(packet);
    }

    private void drop(ChannelHandlerContext context, DatagramPacket packet, DropReason reason) {
        DropCounters counters = drops;
        assert counters != null;
        counters.count(reason);
        try {
            if (reason == DropReason.DECRYPTION_FAILED) {
                decryptionFailures.onFailure(context.channel(), packet.sender(), packet.content().readableBytes(), config);
            }
        } finally {
            ReferenceCountUtil.release(packet);
        }
    }

    private int openOrRelease(DatagramPacket packet) {
        LoopContext loopContext = loop;
        assert loopContext != null;
        DecryptionBudget budget = loopContext.decryptionBudget();
        try {
            if (budget.isCharging()) {
                return openMeasured(packet.content(), loopContext);
            }
            int keyIndex = open(packet.content());
            if (keyIndex < 0) {
                budget.onUseless(loopContext.nowNanos());
            }
            return keyIndex;
        } catch (RuntimeException | Error failure) {
            ReferenceCountUtil.release(packet);
            throw failure;
        }
    }

    private int openMeasured(ByteBuf datagram, LoopContext loopContext) {
        long startNanos = loopContext.nowNanos();
        try {
            return open(datagram);
        } finally {
            loopContext.decryptionBudget().charge(loopContext.nowNanos() - startNanos);
        }
    }

    private int open(ByteBuf datagram) {
        DatagramCipher[] all = ciphers;
        for (int i = 0; i < all.length; i++) {
            if (all[i].open(datagram)) {
                return i;
            }
            if (all[i].refusedReflection()) {
                return REFLECTED;
            }
        }
        return FAILED;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof KcpDatagram packet && packet.isOutbound()) {
            try {
                ciphers[packet.kcpSession().key.index(latestKeyIndex)].seal(packet.content());
            } catch (RuntimeException | Error failure) {
                packet.release();
                promise.tryFailure(failure);
                return;
            }
            context.write(packet, promise);
        } else if (message instanceof DatagramPacket packet) {
            DatagramPacket sealed;
            try {
                sealed = sealCopy(context, packet);
            } catch (RuntimeException | Error failure) {
                promise.tryFailure(failure);
                return;
            }
            context.write(sealed, promise);
        } else {
            context.write(message, promise);
        }
    }

    /** Encrypts a copy of a packet whose own buffer has no room for the nonce and may still be in use by the writer of the packet. */
    private DatagramPacket sealCopy(ChannelHandlerContext context, DatagramPacket packet) {
        ByteBuf copy = null;
        try {
            ByteBuf content = packet.content();
            copy = context.alloc().directBuffer(headBytes + content.readableBytes() + tailBytes);
            copy.setIndex(headBytes, headBytes).writeBytes(content, content.readerIndex(), content.readableBytes());
            // A datagram that belongs to no session is a response to the latest inbound datagram and is therefore sealed with the same key.
            ciphers[latestKeyIndex].seal(copy);
            DatagramPacket sealed = packet.replace(copy);
            copy = null;
            return sealed;
        } finally {
            ReferenceCountUtil.release(copy);
            packet.release();
        }
    }
}
