package io.kcp.examples.arena.world;

/** A gem, which gives a point and health to the fighter that collects it, and reappears elsewhere after a while. */
final class Gem {

    static final double RADIUS = 10;

    double x;
    double y;
    int ticksToReturn;

    boolean isThere() {
        return ticksToReturn == 0;
    }
}
