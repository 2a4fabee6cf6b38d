package io.kcp.core;

/** Limits the segments in flight in addition to the two windows. */
public enum CongestionAlgorithm {
    /** No further limit ({@code nc = 1} in other implementations and in all kcptun presets). */
    NONE,
    /** CUBIC (RFC 9438) with pacing, and a slow start that ends when the delay rises. Shares a path fairly with TCP. */
    CUBIC,
    /** The congestion control rules of kcp-go for {@code nc = 0}, for comparisons; see section 2.11 of {@code wire-format.md}. */
    KCP_GO
}
