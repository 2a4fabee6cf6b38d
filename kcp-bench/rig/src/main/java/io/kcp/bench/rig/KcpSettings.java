package io.kcp.bench.rig;

import picocli.CommandLine.Option;

/** Command-line options of the KCP protocol that all KCP libraries have, with the same default values. */
public final class KcpSettings {

    /** Send and receive window in segments. */
    @Option(names = "--window", defaultValue = "1024", description = "send and receive window in segments (${DEFAULT-VALUE})")
    public int windowSegments;

    /** Size of a datagram without the headers of IP and UDP. */
    @Option(names = "--mtu", defaultValue = "1400", description = "MTU in bytes (${DEFAULT-VALUE})")
    public int mtuBytes;

    /** KCP's nodelay: 0 or 1. */
    @Option(names = "--nodelay", defaultValue = "1", description = "KCP's nodelay: 0 or 1 (${DEFAULT-VALUE})")
    public int noDelay;

    /** KCP's interval in milliseconds. */
    @Option(names = "--interval", defaultValue = "10", description = "KCP's interval in milliseconds (${DEFAULT-VALUE})")
    public int intervalMs;

    /** Acknowledgements of later segments that trigger a fast retransmission, 0 for none. */
    @Option(names = "--resend", defaultValue = "2",
        description = "KCP's resend: acknowledgements of later segments that trigger a fast retransmission, 0 for none (${DEFAULT-VALUE})")
    public int fastResend;

    /** KCP's nc: 1 turns congestion control off. */
    @Option(names = "--nc", defaultValue = "1", description = "KCP's nc: 1 turns congestion control off (${DEFAULT-VALUE})")
    public int noCongestionControl;
}
