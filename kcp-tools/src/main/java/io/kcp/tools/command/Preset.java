package io.kcp.tools.command;

import io.kcp.core.KcpConfig;
import java.util.Locale;

/** The presets of {@link KcpConfig}, selectable with a command-line option. */
public enum Preset {
    /** {@link KcpConfig#normal()}. */
    NORMAL,
    /** {@link KcpConfig#fast()}. */
    FAST,
    /** {@link KcpConfig#fast2()}. */
    FAST2,
    /** {@link KcpConfig#fast3()}. */
    FAST3,
    /** {@link KcpConfig#auto()}. */
    AUTO;

    /**
     * Returns the settings of the preset.
     *
     * @return the settings
     */
    public KcpConfig config() {
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
