package io.kcp.test.cycle;

/** Part of the cycle of {@code ClassCyclesTest}. */
public final class First {

    /** The next class of the cycle. */
    Second next = new Second();
}
