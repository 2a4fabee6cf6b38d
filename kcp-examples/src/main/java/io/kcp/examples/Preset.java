package io.kcp.examples;

import io.kcp.core.KcpConfig;
import java.util.Locale;

/** The presets of {@link KcpConfig}, selectable with a command-line option. */
enum Preset {
    NORMAL, FAST, FAST2, FAST3, AUTO;

    KcpConfig config() {
        return switch (this) {
            case NORMAL -> KcpConfig.normal();
            case FAST -> KcpConfig.fast();
            case FAST2 -> KcpConfig.fast2();
            case FAST3 -> KcpConfig.fast3();
            case AUTO -> KcpConfig.auto();
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
