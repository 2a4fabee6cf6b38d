package io.kcp.bench;

/** What is compared. */
enum TransferKind {
    /** One session, writes of 16 KB, nothing but acknowledgements comes back. */
    ONE_WAY("one way", "MB/s", "MB", true),
    /** One session, at most 1 MiB between written and returned. */
    ECHO("echo", "MB/s", "MB", true),
    /** 64 bytes there and back, one at a time. */
    PING_PONG("ping-pong", "us", "1000", false);

    private final String label;
    private final String unit;
    private final String cpuUnit;
    private final boolean moreIsBetter;

    TransferKind(String label, String unit, String cpuUnit, boolean moreIsBetter) {
        this.label = label;
        this.unit = unit;
        this.cpuUnit = cpuUnit;
        this.moreIsBetter = moreIsBetter;
    }

    String label() {
        return label;
    }

    /** Of the result: throughput, or the median round trip. */
    String unit() {
        return unit;
    }

    /** What CPU time is given for: a megabyte, or a thousand round trips. */
    String cpuUnit() {
        return cpuUnit;
    }

    /** Above 1 if the first result is the better one. */
    double ratio(double ours, double theirs) {
        return moreIsBetter ? ours / theirs : theirs / ours;
    }
}
