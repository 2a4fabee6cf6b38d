package io.kcp.examples.arena.world;

/** A gem to collect: gives a point and health, and returns elsewhere after a while. */
final class Gem {

    static final double RADIUS = 10;

    double x;
    double y;
    int ticksToReturn;

    boolean isThere() {
        return ticksToReturn == 0;
    }
}
