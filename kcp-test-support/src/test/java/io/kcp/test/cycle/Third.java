package io.kcp.test.cycle;

/** Part of the cycle of {@code ClassCyclesTest}. */
public final class Third {

    /** The next class of the cycle. */
    Fourth next = new Fourth();
}
