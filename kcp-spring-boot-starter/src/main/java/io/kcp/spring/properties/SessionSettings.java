package io.kcp.spring.properties;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import io.kcp.core.SegmentHeader;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecHeader;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * Converts {@link KcpSessionProperties} to configuration objects of the library. Invalid properties cause a {@link KcpPropertyException}.
 */
final class SessionSettings {

    private static final int MAX_DSCP = 63;
    private static final int MAX_MESSAGE_BYTES = KcpConfig.MAX_FRAGMENTS * (KcpConfig.MAX_MTU_BYTES - SegmentHeader.LENGTH);

    private final PropertyReader reader;
    private final KcpSessionProperties properties;

    SessionSettings(PropertyReader reader, KcpSessionProperties properties) {
        KcpNettyVersionException.requireNetty42();
        this.reader = reader;
        this.properties = properties;
    }

    KcpConfig config() {
        KcpConfigBuilder builder = properties.getProfile().config().toBuilder().mode(properties.getMode());
        reader.setBytes("mtu", properties.getMtu(), builder::mtuBytes);
        reader.set("send-window", properties.getSendWindow(), builder::sendWindow);
        reader.set("receive-window", properties.getReceiveWindow(), builder::receiveWindow);
        checkMaxMessageSize(properties.getMaxMessageSize());
        reader.setBytes("max-message-size", properties.getMaxMessageSize(), builder::maxMessageBytes);
        reader.setBytes("max-rate", properties.getMaxRate(), builder::maxBytesPerSecond);
        reader.setMsOfSeconds("dead-peer-timeout", properties.getDeadPeerTimeout(), builder::deadPeerTimeoutMs);
        tune(builder, properties.getTuning());
        return builder.build();
    }

    private void checkMaxMessageSize(@Nullable DataSize size) {
        if (size != null && size.toBytes() > MAX_MESSAGE_BYTES) {
            throw reader.invalid("max-message-size", size + " exceeds the limit of " + KcpConfig.MAX_FRAGMENTS
                + " segments of the largest MTU", "Use at most " + MAX_MESSAGE_BYTES
                + "B. Send longer data as several messages, or set " + reader.name("mode") + " to stream", null);
        }
    }

    private void tune(KcpConfigBuilder builder, KcpTuningProperties tuning) {
        reader.set("tuning.no-delay", tuning.getNoDelay(), builder::noDelay);
        reader.setMs("tuning.interval", tuning.getInterval(), builder::intervalMs);
        reader.set("tuning.fast-resend", tuning.getFastResend(), builder::fastResend);
        reader.set("tuning.fast-resend-limit", tuning.getFastResendLimit(), builder::fastResendLimit);
        reader.set("tuning.early-retransmit", tuning.getEarlyRetransmit(), builder::earlyRetransmit);
        reader.set("tuning.adaptive-reordering", tuning.getAdaptiveReordering(), builder::adaptiveReordering);
        reader.set("tuning.mtu-fallback", tuning.getMtuFallback(), builder::mtuFallback);
        reader.setBytes("tuning.mtu-search-limit", tuning.getMtuSearchLimit(), builder::mtuSearchLimitBytes);
        reader.set("tuning.redundancy", tuning.getRedundancy(), builder::redundancy);
        reader.setMs("tuning.redundancy-delay", tuning.getRedundancyDelay(), builder::redundancyDelayMs);
        reader.setBytes("tuning.window-budget", tuning.getWindowBudget(), builder::windowBudgetBytes);
        reader.set("tuning.congestion-control", tuning.getCongestionControl(), builder::congestionControl);
        reader.setMs("tuning.min-rto", tuning.getMinRto(), builder::minRtoMs);
        reader.set("tuning.ack-no-delay", tuning.getAckNoDelay(), builder::ackNoDelay);
        reader.set("tuning.write-delay", tuning.getWriteDelay(), builder::writeDelay);
        reader.set("tuning.max-transmissions", tuning.getMaxTransmissions(), builder::maxTransmissions);
        reader.setMs("tuning.zero-window-timeout", tuning.getZeroWindowTimeout(), builder::zeroWindowTimeoutMs);
        reader.setBytes("tuning.min-drain-rate", tuning.getMinDrainRate(), builder::minDrainBytesPerSecond);
        reader.set("tuning.max-refused-segments", tuning.getMaxRefusedSegments(), builder::maxRefusedSegments);
    }

    /** Returns the channel options for session settings that are not part of {@link #config()}. */
    Map<ChannelOption<Integer>, Integer> sessionOptions() {
        Map<ChannelOption<Integer>, Integer> options = new LinkedHashMap<>();
        reader.setMsOfSeconds("idle-timeout", properties.getIdleTimeout(), ms -> options.put(KcpChannelOption.IDLE_TIMEOUT_MS, ms));
        reader.setMsOfSeconds("keepalive", properties.getKeepalive(), ms -> options.put(KcpChannelOption.KEEPALIVE_MS, ms));
        reader.setMs("linger", properties.getLinger(), ms -> options.put(KcpChannelOption.LINGER_MS, ms));
        checkKeepalive(properties.getKeepalive(), properties.getIdleTimeout());
        KcpTuningProperties tuning = properties.getTuning();
        reader.set("tuning.max-messages-per-iteration", tuning.getMaxMessagesPerIteration(),
            messages -> options.put(KcpChannelOption.MAX_MESSAGES_PER_ITERATION, notNegative(messages)));
        reader.setBytes("tuning.max-bytes-per-iteration", tuning.getMaxBytesPerIteration(),
            bytes -> options.put(KcpChannelOption.MAX_BYTES_PER_ITERATION, bytes));
        return options;
    }

    private static int notNegative(int messages) {
        if (messages < 0) {
            throw new IllegalArgumentException(messages + " is negative (expected: at least 0)");
        }
        return messages;
    }

    private void checkKeepalive(Duration keepalive, Duration idleTimeout) {
        if (keepalive.toMillis() > 0 && idleTimeout.toMillis() > 0 && keepalive.compareTo(idleTimeout) >= 0) {
            throw reader.invalid("keepalive", keepalive + " is not shorter than " + reader.name("idle-timeout") + ", " + idleTimeout
                + ", so sessions would be closed before they send a probe", "Use a third of the idle timeout, or 0 for never", null);
        }
    }

    /** Returns the channel options of the UDP sockets. */
    Map<ChannelOption<Integer>, Integer> socketOptions() {
        Integer dscp = properties.getDscp();
        if (dscp == null) {
            return Map.of();
        }
        if (dscp < 0 || dscp > MAX_DSCP) {
            throw reader.invalid("dscp", dscp + " is out of range", "Use 0 to 63, such as 46 for expedited forwarding", null);
        }
        return Map.of(ChannelOption.IP_TOS, dscp << 2);
    }

    @Nullable FecConfig fec() {
        KcpFecProperties fec = properties.getFec();
        Integer minParityShards = fec.getMinParityShards();
        if (fec.getDataShards() == 0 && fec.getParityShards() == 0) {
            if (minParityShards != null) {
                throw reader.invalid("fec.min-parity-shards", "FEC is not configured", "Also set " + reader.name("fec.data-shards")
                    + " and " + reader.name("fec.parity-shards"), null);
            }
            return null;
        }
        requireBoth("fec.data-shards", fec.getDataShards(), "fec.parity-shards", fec.getParityShards());
        FecConfig config = reader.checked("fec", () -> FecConfig.of(fec.getDataShards(), fec.getParityShards()), "Set "
            + reader.name("fec.data-shards") + " and " + reader.name("fec.parity-shards") + " to 1 or more, together at most "
            + FecShape.MAX_SHARDS);
        return minParityShards == null ? config
            : reader.checked("fec.min-parity-shards", () -> config.adaptive(minParityShards, fec.getParityShards()));
    }

    private void requireBoth(String first, int firstValue, String second, int secondValue) {
        if (firstValue == 0 || secondValue == 0) {
            throw reader.invalid(firstValue == 0 ? first : second, "it is 0, but " + reader.name(firstValue == 0 ? second : first)
                + " is set", "Set both, for example to 10 and 3, or neither", null);
        }
    }

    @Nullable CryptoConfig crypto() {
        return new CryptSettings(reader, properties.getCrypt()).crypto();
    }

    /**
     * Returns {@code true} if sessions survive a change of the client's address. Throws an exception if roaming is enabled without an
     * authenticated cipher.
     */
    boolean roaming(@Nullable CryptoConfig crypto) {
        if (properties.isRoaming() && (crypto == null || !crypto.isAuthenticated())) {
            throw reader.invalid("roaming", "the cipher is " + (crypto == null ? "not set" : crypto.cipherName())
                + ", so an attacker could redirect sessions", "Set " + reader.name("crypt.type") + " to aes-128-gcm or another AEAD cipher,"
                + " or disable roaming", null);
        }
        return properties.isRoaming();
    }

    /** Rejects an MTU that leaves no room for data after the cipher and FEC headers. Otherwise, each session would fail. */
    void checkRoom(KcpConfig config, @Nullable CryptoConfig crypto, @Nullable FecConfig fec) {
        int cipherBytes = crypto == null ? 0 : crypto.headBytes() + crypto.tailBytes();
        int leastBytes = KcpConfig.MIN_MTU_BYTES + cipherBytes + (fec == null ? 0 : FecHeader.LENGTH);
        if (config.mtuBytes() < leastBytes) {
            throw reader.invalid("mtu", config.mtuBytes() + " bytes leave no room for data after the cipher and FEC headers",
                "Use at least " + leastBytes + "B", null);
        }
    }

    KcpTransport transport() {
        KcpTransport transport = properties.getTransport().transport();
        if (!transport.isAvailable()) {
            throw reader.invalid("transport", transport + " is not available on this machine",
                "Use auto, or add the native library of that transport to the class path", null);
        }
        return transport;
    }

    /** Returns the I/O handler factory for the event loops. */
    IoHandlerFactory loops(KcpTransport transport) {
        try {
            return properties.getLoops().ioHandlerFactory(transport);
        } catch (UnsupportedOperationException refused) {
            throw reader.invalid("loops", String.valueOf(refused.getMessage()), "Set it to sleeping", refused);
        }
    }

    /** Returns the number of event loops. */
    int threads() {
        int threads = properties.getThreads();
        if (threads < 0) {
            throw reader.invalid("threads", threads + " is negative", "Use a positive number, or 0 for one event loop per processor", null);
        }
        return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }
}
