package io.kcp.spring.properties;

import io.kcp.core.KcpConfig;

/** Named presets of the protocol settings: the modes of kcptun, and the defaults of kcp-go. */
public enum KcpProfile {
    /** {@link KcpConfig#normal()}. */
    NORMAL,
    /** {@link KcpConfig#fast()}. */
    FAST,
    /** {@link KcpConfig#fast2()}. */
    FAST2,
    /** {@link KcpConfig#fast3()}. */
    FAST3,
    /** {@link KcpConfig#kcpGoCompatible()}. */
    KCP_GO;

    KcpConfig config() {
        return switch (this) {
            case NORMAL -> KcpConfig.normal();
            case FAST -> KcpConfig.fast();
            case FAST2 -> KcpConfig.fast2();
            case FAST3 -> KcpConfig.fast3();
            case KCP_GO -> KcpConfig.kcpGoCompatible();
        };
    }
}
