package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.PacketCipher;
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
 * Seals every datagram that goes out and opens every one that comes in, in place. The first of the three handlers of a
 * datagram channel, nearest to the socket. What does not open is counted as {@link DropReason#UNDECIPHERED} and dropped,
 * with one line at INFO a minute about it, and what this side sealed itself as {@link DropReason#REFLECTED}.
 *
 * <p>While keys rotate ({@link CryptoConfig#alsoOpening}), a session that was opened from here is sealed under the first key,
 * and one that a peer opened under that of the datagram that opened it, unless the peer keeps on using another.
 *
 * <p>Two codecs recognise each other's datagrams as their own side's only if their configurations share a guard
 * ({@link CryptoConfig#withReflectionGuard}): the sockets of one server should, a client and a server must not.
 *
 * <p>One instance belongs to one channel. Sections 5.1 to 5.6 of {@code wire-format.md}.
 */
public final class CryptoCodec extends ChannelDuplexHandler implements DatagramOverhead {

    private static final SecureRandom GUARD_RANDOM = new SecureRandom();
    private static final int UNDECIPHERED = -1;
    private static final int REFLECTED = -2;

    private final CryptoConfig config;
    private final UndecipheredLog undecipheredLog;
    private final int headBytes;
    private final int tailBytes;
    private PacketCipher[] ciphers = {};
    private @Nullable DropCounters drops;
    private int latestOpener;

    /**
     * Creates the handler.
     *
     * @param config cipher and key, and others that are accepted too; gets a reflection guard of its own if it has none
     * @throws IllegalArgumentException if it is the "null" cipher, which is no handler at all
     */
    public CryptoCodec(CryptoConfig config) {
        this(config, new UndecipheredLog());
    }

    /** As {@link #CryptoCodec(CryptoConfig)}, with a log that the codecs of several sockets share. */
    CryptoCodec(CryptoConfig config, UndecipheredLog undecipheredLog) {
        if (config.isNull()) {
            throw new IllegalArgumentException("config: " + config.cipherName() + " (expected: a cipher; leave the handler out)");
        }
        this.config = guarded(config);
        this.undecipheredLog = undecipheredLog;
        int head = config.headBytes();
        int tail = config.tailBytes();
        for (CryptoConfig opener : this.config.openers()) {
            head = Math.max(head, opener.headBytes());
            tail = Math.max(tail, opener.tailBytes());
        }
        headBytes = head;
        tailBytes = tail;
    }

    /** Returns a configuration with a reflection guard, to be shared by all sockets of one side; the same if it has one already. */
    static CryptoConfig guarded(CryptoConfig config) {
        return config.withReflectionGuard(GUARD_RANDOM::nextBytes, new AtomicLong()::getAndIncrement);
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
    public void handlerAdded(ChannelHandlerContext context) {
        LoopContext loop = LoopContext.of(context.channel().eventLoop());
        List<CryptoConfig> openers = config.openers();
        PacketCipher[] all = new PacketCipher[openers.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = loop.cipher(openers.get(i));
        }
        ciphers = all;
        drops = DropCounters.of(context.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof DatagramPacket packet)) {
            context.fireChannelRead(message);
            return;
        }
        int opener = openOrRelease(packet);
        if (opener < 0) {
            drop(context, packet, opener == REFLECTED ? DropReason.REFLECTED : DropReason.UNDECIPHERED);
            return;
        }
        latestOpener = opener;
        PeerTable sessions = ciphers.length == 1 ? null : PeerTable.of(context.channel());
        if (sessions != null) {
            // For the session that will accept it, which may not be open yet.
            sessions.openerIndex(opener);
        }
        context.fireChannelRead(packet);
    }

    private void drop(ChannelHandlerContext context, DatagramPacket packet, DropReason reason) {
        DropCounters counters = drops;
        assert counters != null;
        counters.count(reason);
        try {
            if (reason == DropReason.UNDECIPHERED) {
                undecipheredLog.onUndeciphered(context.channel(), packet.sender(), packet.content().readableBytes(), config);
            }
        } finally {
            ReferenceCountUtil.release(packet);
        }
    }

    private int openOrRelease(DatagramPacket packet) {
        try {
            return open(packet.content());
        } catch (RuntimeException | Error failure) {
            ReferenceCountUtil.release(packet);
            throw failure;
        }
    }

    private int open(ByteBuf datagram) {
        PacketCipher[] all = ciphers;
        for (int i = 0; i < all.length; i++) {
            if (all[i].open(datagram)) {
                return i;
            }
            if (all[i].refusedReflection()) {
                return REFLECTED;
            }
        }
        return UNDECIPHERED;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof KcpPacket packet && packet.isOutbound()) {
            try {
                ciphers[packet.kcpSession().key.index(latestOpener)].seal(packet.content());
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

    /** Who wrote this left no room, and may have kept the buffer. */
    private DatagramPacket sealCopy(ChannelHandlerContext context, DatagramPacket packet) {
        ByteBuf copy = null;
        try {
            ByteBuf content = packet.content();
            copy = context.alloc().directBuffer(headBytes + content.readableBytes() + tailBytes);
            copy.setIndex(headBytes, headBytes).writeBytes(content, content.readerIndex(), content.readableBytes());
            // What is not of a session answers the datagram that has just come.
            ciphers[latestOpener].seal(copy);
            DatagramPacket sealed = packet.replace(copy);
            copy = null;
            return sealed;
        } finally {
            ReferenceCountUtil.release(copy);
            packet.release();
        }
    }
}
