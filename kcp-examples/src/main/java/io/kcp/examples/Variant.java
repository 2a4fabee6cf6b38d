package io.kcp.examples;

import io.kcp.core.fec.FecShape;
import io.kcp.tools.command.Preset;
import org.jspecify.annotations.Nullable;

/** KCP configuration that the demo measures: a preset and, optionally, an FEC shape. */
record Variant(Preset preset, @Nullable FecShape fec) {

    @Override
    public String toString() {
        return fec == null ? preset.toString() : preset + " + FEC " + fec;
    }
}
