package io.kcp.examples;

import io.kcp.core.KcpConfig;
import java.util.Locale;

/** kcptun's presets, by the names that users type. */
enum Preset {
    NORMAL(KcpConfig.normal()),
    FAST(KcpConfig.fast()),
    FAST2(KcpConfig.fast2()),
    FAST3(KcpConfig.fast3());

    private final KcpConfig config;

    Preset(KcpConfig config) {
        this.config = config;
    }

    KcpConfig config() {
        return config;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
