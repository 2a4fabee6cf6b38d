package io.kcp.test.cycle;

/** Part of the cycle of {@code ClassCyclesTest}. */
public final class Second {

    /** The next class of the cycle. */
    Third next = new Third();
}
