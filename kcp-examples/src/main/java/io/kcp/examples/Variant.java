package io.kcp.examples;

import io.kcp.core.fec.FecShape;
import org.jspecify.annotations.Nullable;

/** What the demo compares: a preset, with or without parity. */
record Variant(Preset preset, @Nullable FecShape fec) {

    @Override
    public String toString() {
        return fec == null ? preset.toString() : preset + " + FEC " + fec;
    }
}
