package io.kcp.core;

/** Congestion control algorithms, which, like the send window and the peer's receive window, limit the number of segments in flight. */
public enum CongestionAlgorithm {
    /** Disables congestion control ({@code nc = 1} in other implementations and in all kcptun presets). */
    NONE,
    /** Uses CUBIC (RFC 9438) with pacing and a slow start that ends when the round-trip time rises. Shares a path fairly with TCP. */
    CUBIC,
    /**
     * Estimates bandwidth and round-trip time of the path, and paces transmissions accordingly. Follows the model of BBR
     * (draft-ietf-ccwg-bbr), but losses that the path causes without congestion do not reduce the rate. Intended for bulk data on lossy
     * links.
     */
    BBR,
    /**
     * Uses the congestion control that kcp-go applies with {@code nc = 0}. Intended for comparisons with kcp-go. See section 2.11 of
     * {@code wire-format.md}.
     */
    KCP_GO
}
