package io.kcp.examples;

import io.kcp.core.fec.FecShape;
import org.jspecify.annotations.Nullable;

/** A KCP contender of the demo: a preset, with or without FEC. */
record Variant(Preset preset, @Nullable FecShape fec) {

    @Override
    public String toString() {
        return fec == null ? preset.toString() : preset + " + FEC " + fec;
    }
}
