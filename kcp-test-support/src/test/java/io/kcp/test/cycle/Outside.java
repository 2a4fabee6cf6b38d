package io.kcp.test.cycle;

/** Uses a class of the cycle, which does not use this class. */
public final class Outside {

    First first = new First();
}
