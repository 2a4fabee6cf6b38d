package io.kcp.core;

/** How a conversation limits what it has in flight, beside the two windows. */
public enum CongestionAlgorithm {
    /** Not at all: the windows alone limit ({@code nc = 1} of other implementations, all kcptun presets). */
    NONE,
    /** CUBIC (RFC 9438) with slow start left on rising delay and sending paced; shares a path fairly with TCP. */
    CUBIC,
    /** The rules of kcp-go with {@code nc = 0}, for comparison; section 2.9 and 2.10 of {@code wire-format.md}. */
    KCP_GO
}
