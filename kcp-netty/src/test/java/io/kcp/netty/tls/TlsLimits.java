package io.kcp.netty.tls;

import io.kcp.netty.internal.base.PartialInputLimit;

/** Gives tests of other packages access to the limit on incomplete records and messages. */
public final class TlsLimits {

    private TlsLimits() {
    }

    /** Returns TLS whose incomplete records and messages count towards a limit. */
    public static KcpTls limited(KcpTls tls, PartialInputLimit limit) {
        return tls.limit(limit);
    }
}
