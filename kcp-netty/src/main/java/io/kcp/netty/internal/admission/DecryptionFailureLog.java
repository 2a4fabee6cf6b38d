package io.kcp.netty.internal.admission;

import io.kcp.core.crypto.CryptoConfig;
import io.netty.channel.Channel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Logs a datagram that cannot be decrypted, including its sender and the likely causes, at most once per minute for all sockets of a
 * listener. This class is thread-safe.
 */
public final class DecryptionFailureLog {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance("io.kcp.netty.CryptoCodec");

    private final Consumer<String> lines;
    private final LogInterval interval = new LogInterval();

    /** Creates a log that writes to the logger of {@code CryptoCodec}. */
    public DecryptionFailureLog() {
        this(line -> LOGGER.info(line));
    }

    /** Creates a log that passes its lines to a consumer. */
    public DecryptionFailureLog(Consumer<String> lines) {
        this.lines = lines;
    }

    /**
     * Logs a datagram that could not be decrypted, unless another one was logged within the last minute. Must be called on the event loop
     * of the channel.
     */
    public void onFailure(Channel channel, InetSocketAddress sender, int datagramBytes, CryptoConfig config) {
        if (!interval.begin(channel.eventLoop().ticker().nanoTime())) {
            return;
        }
        String ciphers = config.openers().stream().map(CryptoConfig::cipherName).collect(Collectors.joining(" or "));
        lines.accept("Dropped a datagram of " + datagramBytes + " bytes from " + sender + " on " + channel + ", because " + ciphers
            + " cannot decrypt it. The peer probably uses another key, another cipher or none, or the datagram is not KCP or was modified "
            + "in transit. Set the same cipher and key on both sides. Such datagrams are counted as DECRYPTION_FAILED "
            + "in KcpListenerStats.dropped() and logged at most once per minute.");
    }
}
