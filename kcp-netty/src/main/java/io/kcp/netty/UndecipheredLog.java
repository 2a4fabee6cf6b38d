package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.netty.channel.Channel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Logs that a datagram did not open, with its sender and the likely causes: at most one line a minute for all sockets of a listener,
 * whatever arrives. Datagrams that open cost nothing here. Safe for use by several event loops.
 */
final class UndecipheredLog {

    static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(CryptoCodec.class);
    private static final long NEVER = Long.MIN_VALUE;

    private final Consumer<String> lines;
    private final AtomicLong loggedNanos = new AtomicLong(NEVER);

    UndecipheredLog() {
        this(line -> LOGGER.info(line));
    }

    UndecipheredLog(Consumer<String> lines) {
        this.lines = lines;
    }

    /** Takes notice of a datagram that did not open; to be called on the event loop of the channel. */
    void onUndeciphered(Channel channel, InetSocketAddress sender, int datagramBytes, CryptoConfig config) {
        long nowNanos = channel.eventLoop().ticker().nanoTime();
        long last = loggedNanos.get();
        if (last != NEVER && nowNanos - last < INTERVAL_NANOS || !loggedNanos.compareAndSet(last, nowNanos)) {
            return;
        }
        String ciphers = config.openers().stream().map(CryptoConfig::cipherName).collect(Collectors.joining(" or "));
        lines.accept("Dropped a datagram of " + datagramBytes + " bytes from " + sender + " on " + channel + " that does not open with "
            + ciphers + ". The peer probably has another key, another cipher or none; otherwise the datagram is not KCP or was damaged. "
            + "Set the same cipher and key on both sides. " + DropReason.UNDECIPHERED
            + " in KcpListenerStats.dropped() counts such datagrams; they are logged once a minute at most.");
    }
}
