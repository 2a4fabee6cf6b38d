package io.kcp.spring.properties;

import io.kcp.core.KcpConfig;

/** Presets of the protocol settings: settings that adapt to the path, the modes of kcptun, and the defaults of kcp-go. */
public enum KcpProfile {
    /** Uses the settings of {@link KcpConfig#auto()}. */
    AUTO,
    /** Uses the settings of {@link KcpConfig#normal()}. */
    NORMAL,
    /** Uses the settings of {@link KcpConfig#fast()}. */
    FAST,
    /** Uses the settings of {@link KcpConfig#fast2()}. */
    FAST2,
    /** Uses the settings of {@link KcpConfig#fast3()}. */
    FAST3,
    /** Uses the settings of {@link KcpConfig#kcpGoCompatible()}, which are the defaults of kcp-go. */
    KCP_GO;

    KcpConfig config() {
        return switch (this) {
            case AUTO -> KcpConfig.auto();
            case NORMAL -> KcpConfig.normal();
            case FAST -> KcpConfig.fast();
            case FAST2 -> KcpConfig.fast2();
            case FAST3 -> KcpConfig.fast3();
            case KCP_GO -> KcpConfig.kcpGoCompatible();
        };
    }
}
