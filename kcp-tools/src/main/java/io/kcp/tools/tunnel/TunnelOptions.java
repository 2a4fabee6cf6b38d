package io.kcp.tools.tunnel;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.bootstrap.AbstractKcpBuilder;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.smux.SmuxHandler;
import io.kcp.netty.smux.SmuxHandlerBuilder;
import io.kcp.netty.smux.SmuxVersion;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Contains the options that the tunnel client and the tunnel server share. They have the names and the defaults of kcptun. */
final class TunnelOptions {

    private static final String DEFAULT_KEY = "it's a secrect";
    private static final int MILLIS = 1_000;
    private static final int MAX_TIMEOUT_SECONDS = 86_400;
    private static final int MAX_DSCP = 63;
    private static final int MAX_SHARDS = 255;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @SuppressWarnings("unused")
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help message and exit.")
    private boolean helpRequested;

    @SuppressWarnings("unused")
    @Option(names = {"-v", "--version"}, versionHelp = true, description = "Show the version and exit.")
    private boolean versionRequested;

    @SuppressWarnings("unused")
    @Option(names = "-c", paramLabel = "FILE", description = "JSON file whose entries override the command line.")
    private @Nullable Path configFile;

    @Option(names = "--key", paramLabel = "PASSWORD", defaultValue = "${env:KCPTUN_KEY:-" + DEFAULT_KEY + "}",
        description = "Password, also read from the environment variable KCPTUN_KEY (default: kcptun's \"it's a secrect\").",
        showDefaultValue = Visibility.NEVER)
    private String key = "";

    @Option(names = "--crypt", paramLabel = "CIPHER", defaultValue = "aes",
        description = "Cipher: aes-128-gcm, aes, aes-128, aes-192, salsa20, sm4, twofish, blowfish, cast5, 3des, xtea, tea, xor, none, "
            + "null; not in kcptun: aes-256-gcm, chacha20-poly1305 (default: ${DEFAULT-VALUE}).")
    private String crypt = "aes";

    @Option(names = "--mode", paramLabel = "NAME", defaultValue = "fast",
        description = "Preset: fast3, fast2, fast, normal, or manual with --nodelay, --interval, --resend, --nc "
            + "(default: ${DEFAULT-VALUE}).")
    private String mode = "fast";

    @Option(names = "--mtu", paramLabel = "BYTES", description = "Maximum UDP payload (default: ${DEFAULT-VALUE}).")
    private int mtu = 1350;

    @Option(names = "--ratelimit", paramLabel = "BYTES", description = "Maximum bytes per second of each session, 0 for no limit.")
    private int rateLimit;

    @Option(names = "--sndwnd", paramLabel = "SEGMENTS", description = "Send window (default: ${DEFAULT-VALUE}).")
    private int sendWindow;

    @Option(names = "--rcvwnd", paramLabel = "SEGMENTS", description = "Receive window (default: ${DEFAULT-VALUE}).")
    private int receiveWindow;

    @Option(names = {"--datashard", "--ds"}, paramLabel = "N",
        description = "Data datagrams of each FEC group, 0 for no FEC (default: ${DEFAULT-VALUE}).")
    private int dataShards = 10;

    @Option(names = {"--parityshard", "--ps"}, paramLabel = "N",
        description = "Parity datagrams of each FEC group, 0 for no FEC (default: ${DEFAULT-VALUE}).")
    private int parityShards = 3;

    @Option(names = "--dscp", paramLabel = "N", description = "DSCP field of the datagrams, 0 to 63 (default: ${DEFAULT-VALUE}).")
    private int dscp;

    @Option(names = "--nocomp", arity = "0..1", fallbackValue = "true", description = "Disable compression. Both sides must agree.")
    private boolean noCompression;

    @SuppressWarnings("unused")
    @Option(names = "--acknodelay", arity = "0..1", fallbackValue = "true", hidden = true,
        description = "Send acknowledgements without delay, which this program always does.")
    private boolean ackNoDelay;

    @Option(names = "--nodelay", paramLabel = "0|1", hidden = true, description = "With --mode manual.")
    private int noDelay;

    @Option(names = "--interval", paramLabel = "MS", hidden = true, description = "With --mode manual.")
    private int intervalMs = 50;

    @Option(names = "--resend", paramLabel = "N", hidden = true, description = "With --mode manual.")
    private int resend;

    @Option(names = "--nc", paramLabel = "0|1", hidden = true, description = "With --mode manual.")
    private int noCongestionControl;

    @Option(names = "--sockbuf", paramLabel = "BYTES", description = "Buffers of each UDP socket (default: ${DEFAULT-VALUE}).")
    private int socketBuffer = 4 << 20;

    @Option(names = "--smuxver", paramLabel = "1|2", description = "Version of smux, the same on both sides (default: ${DEFAULT-VALUE}).")
    private int smuxVersion = 2;

    @Option(names = "--smuxbuf", paramLabel = "BYTES", description = "Receive buffer of each session (default: ${DEFAULT-VALUE}).")
    private int smuxBuffer = 4 << 20;

    @Option(names = "--framesize", paramLabel = "BYTES", description = "Maximum smux frame (default: ${DEFAULT-VALUE}).")
    private int frameSize = 8192;

    @Option(names = "--streambuf", paramLabel = "BYTES",
        description = "Receive buffer of each stream with smux version 2 (default: ${DEFAULT-VALUE}).")
    private int streamBuffer = 2 << 20;

    @Option(names = "--keepalive", paramLabel = "SECONDS", description = "Time between heartbeats (default: ${DEFAULT-VALUE}).")
    private int keepalive = 10;

    @Option(names = "--closewait", paramLabel = "SECONDS",
        description = "Idle time after which a half-closed connection is closed; 0 to close both directions together "
            + "(default: ${DEFAULT-VALUE}).")
    private int closeWait = 30;

    @Option(names = "--snmplog", paramLabel = "FILE",
        description = "CSV file for counters. The name may contain a time format of Go, for example snmp-20060102.log.")
    private String snmpLog = "";

    @Option(names = "--snmpperiod", paramLabel = "SECONDS", description = "Period of --snmplog (default: ${DEFAULT-VALUE}).")
    private int snmpPeriod = 60;

    @Option(names = "--log", paramLabel = "FILE", description = "Log file (default: standard error).")
    private String logFile = "";

    @Option(names = "--quiet", arity = "0..1", fallbackValue = "true", description = "Do not log each stream.")
    private boolean quiet;

    @Option(names = "--metrics", paramLabel = "HOST:PORT", description = "Serve Prometheus metrics at this address, path /metrics.")
    private @Nullable String metrics;

    @Option(names = "--drain", paramLabel = "SECONDS",
        description = "Maximum time that SIGTERM waits for open connections (default: ${DEFAULT-VALUE}).")
    private int drain = 30;

    @Option(names = "--timeout", paramLabel = "SECONDS",
        description = "Time without a response after which a session is considered lost (default: ${DEFAULT-VALUE}).")
    private int timeout = 30;

    @Option(names = "--transport", paramLabel = "NAME", description = "Netty transport: EPOLL or NIO (default: the best available one).")
    private KcpTransport transport = StreamSockets.bestTransport();

    @Option(names = "--tcp", arity = "0..1", fallbackValue = "true", hidden = true, description = "Not implemented.")
    private boolean tcp;

    @Option(names = {"--QPP", "--qpp"}, arity = "0..1", fallbackValue = "true", hidden = true, description = "Not implemented.")
    private boolean qpp;

    @SuppressWarnings("unused")
    @Option(names = {"--QPPCount", "--qpp-count"}, hidden = true, description = "Not implemented.")
    private int qppCount;

    @Option(names = "--pprof", arity = "0..1", fallbackValue = "true", hidden = true, description = "Not implemented.")
    private boolean pprof;

    TunnelOptions(int sendWindow, int receiveWindow) {
        this.sendWindow = sendWindow;
        this.receiveWindow = receiveWindow;
    }

    /**
     * Checks all options.
     *
     * @throws ParameterException if an option is out of range, or selects a feature of kcptun that this program does not have
     */
    void check() {
        refuse(tcp, "--tcp", "it emulates TCP on raw sockets; use UDP");
        refuse(qpp, "--QPP", "choose an authenticated cipher instead, for example --crypt aes-128-gcm");
        refuse(pprof, "--pprof", "use a profiler of the JVM, for example jcmd with Java Flight Recorder, and --metrics");
        range("--dscp", dscp, 0, MAX_DSCP);
        range("--nodelay", noDelay, 0, 1);
        range("--nc", noCongestionControl, 0, 1);
        range("--smuxver", smuxVersion, 1, 2);
        range("--timeout", timeout, 1, MAX_TIMEOUT_SECONDS);
        range("--keepalive", keepalive, 1, timeout);
        range("--closewait", closeWait, 0, Integer.MAX_VALUE);
        range("--snmpperiod", snmpPeriod, 0, Integer.MAX_VALUE);
        range("--drain", drain, 0, Integer.MAX_VALUE / MILLIS);
        range("--datashard", dataShards, 0, MAX_SHARDS);
        range("--parityshard", parityShards, 0, MAX_SHARDS);
        valid(this::kcp);
        valid(this::fec);
        valid(() -> smux(true).build());
        valid(() -> new StreamSockets(transport));
        valid(this::crypto);
        if (metrics != null) {
            valid(this::metricsAddress);
        }
    }

    private void refuse(boolean selected, String option, String instead) {
        if (selected) {
            throw error(option + " of kcptun is not implemented: " + instead);
        }
    }

    void range(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw error(option + ": " + value + " (expected: " + min + (max == Integer.MAX_VALUE ? " or more)" : " to " + max + ')'));
        }
    }

    /** Returns the value of a supplier. If the supplier throws an exception, reports its message as an error of the command line. */
    <T> T valid(Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException | IllegalStateException invalid) {
            throw error(invalid.getMessage());
        }
    }

    ParameterException error(@Nullable String message) {
        return new ParameterException(Objects.requireNonNull(spec, "options are set by picocli").commandLine(), message);
    }

    /** Returns the KCP settings. A peer may stop reading for any time, as in kcptun. */
    KcpConfig kcp() {
        KcpConfigBuilder builder = switch (mode) {
            case "normal" -> KcpConfig.normal().toBuilder();
            case "fast" -> KcpConfig.fast().toBuilder();
            case "fast2" -> KcpConfig.fast2().toBuilder();
            case "fast3" -> KcpConfig.fast3().toBuilder();
            case "manual" -> KcpConfig.builder().noDelay(noDelay == 1, intervalMs, resend,
                noCongestionControl == 1 ? CongestionAlgorithm.NONE : CongestionAlgorithm.KCP_GO);
            default -> throw new IllegalArgumentException("--mode: " + mode + " (expected: fast3, fast2, fast, normal or manual)");
        };
        return builder.mode(KcpTransferMode.STREAM).mtuBytes(mtu).sendWindow(sendWindow).receiveWindow(receiveWindow)
            .maxBytesPerSecond(rateLimit).deadPeerTimeoutMs(timeout * MILLIS).zeroWindowTimeoutMs(0).build();
    }

    /** Returns the cipher with the key that kcptun derives from the password. */
    private CryptoConfig crypto() {
        return CryptoConfig.kcptun(crypt, key);
    }

    private @Nullable FecConfig fec() {
        return dataShards == 0 || parityShards == 0 ? null : FecConfig.of(dataShards, parityShards);
    }

    /** Sets the cipher and FEC. */
    <B extends AbstractKcpBuilder<B>> B configure(B builder) {
        return builder.crypto(crypto()).fec(fec());
    }

    SmuxHandlerBuilder smux(boolean isServer) {
        return (isServer ? SmuxHandler.server() : SmuxHandler.client())
            .version(smuxVersion == 1 ? SmuxVersion.V1 : SmuxVersion.V2)
            .keepAliveIntervalMs(keepalive * MILLIS).keepAliveTimeoutMs(timeout * MILLIS)
            .maxFrameBytes(frameSize).receiveBufferBytes(smuxBuffer).streamBufferBytes(Math.min(streamBuffer, smuxBuffer));
    }

    KcpTransport transport() {
        return transport;
    }

    boolean compression() {
        return !noCompression;
    }

    int socketBufferBytes() {
        return socketBuffer;
    }

    /** Returns the value of the IP header field that contains the DSCP. */
    int trafficClass() {
        return dscp << 2;
    }

    int closeWaitSeconds() {
        return closeWait;
    }

    int drainSeconds() {
        return drain;
    }

    /** Returns {@code true} if the password is the public default of kcptun. */
    boolean isDefaultKey() {
        return key.equals(DEFAULT_KEY);
    }

    boolean isQuiet() {
        return quiet;
    }

    /** Returns the log file, or null for standard error. */
    @Nullable Path logFile() {
        return logFile.isEmpty() ? null : Path.of(logFile);
    }

    /** Returns the name of the CSV file, or null if there is none. */
    @Nullable String snmpLog() {
        return snmpLog.isEmpty() || snmpPeriod == 0 ? null : snmpLog;
    }

    int snmpPeriodSeconds() {
        return snmpPeriod;
    }

    /** Returns the address of the metrics, or null if they are disabled. */
    @Nullable StreamAddress metricsAddress() {
        String text = metrics;
        if (text == null) {
            return null;
        }
        StreamAddress address = StreamAddress.parse(text);
        if (address.isUnix()) {
            throw new IllegalArgumentException("--metrics: " + text + " (expected: host:port)");
        }
        return address;
    }

    /** Returns a line that describes the settings, for the log. */
    String summary() {
        return "encryption " + crypt + ", compression " + compression() + ", smux version " + smuxVersion + ", FEC " + dataShards + '+'
            + parityShards + ", " + kcp();
    }
}
