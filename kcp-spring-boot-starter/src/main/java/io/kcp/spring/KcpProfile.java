package io.kcp.spring;

import io.kcp.core.KcpConfig;
import java.util.function.Supplier;

/** Sets of settings by name: the presets of kcptun, and kcp-go's defaults. */
public enum KcpProfile {
    /** {@link KcpConfig#normal()}. */
    NORMAL(KcpConfig::normal),
    /** {@link KcpConfig#fast()}. */
    FAST(KcpConfig::fast),
    /** {@link KcpConfig#fast2()}. */
    FAST2(KcpConfig::fast2),
    /** {@link KcpConfig#fast3()}. */
    FAST3(KcpConfig::fast3),
    /** {@link KcpConfig#kcpGoCompatible()}. */
    KCP_GO(KcpConfig::kcpGoCompatible);

    private final Supplier<KcpConfig> config;

    KcpProfile(Supplier<KcpConfig> config) {
        this.config = config;
    }

    KcpConfig config() {
        return config.get();
    }
}
