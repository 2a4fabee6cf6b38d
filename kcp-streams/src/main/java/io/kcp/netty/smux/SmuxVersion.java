package io.kcp.netty.smux;

/** The version of the smux protocol. Both peers must use the same version, because smux does not negotiate it. */
public enum SmuxVersion {
    /** Version 1, the default of the Go library. All streams share one receive buffer, so a stalled stream can stop the others. */
    V1(1),
    /** Version 2, the default of kcptun. Each stream has its own window, so a stalled stream does not stop the others. */
    V2(2);

    private final int number;

    SmuxVersion(int number) {
        this.number = number;
    }

    /**
     * Returns the version number in the frame headers.
     *
     * @return 1 or 2
     */
    public int number() {
        return number;
    }
}
