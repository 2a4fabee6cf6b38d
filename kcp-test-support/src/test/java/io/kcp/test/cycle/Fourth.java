package io.kcp.test.cycle;

/** Part of the cycle of {@code ClassCyclesTest}. */
public final class Fourth {

    /** A nested class counts as its outermost class. */
    static final class Nested {
        First first = new First();
    }
}
