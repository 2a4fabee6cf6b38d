package io.kcp.examples.arena.world;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Something to collect; it comes back elsewhere after a while. */
final class Gem {

    static final double RADIUS = 10;

    double x;
    double y;
    int ticksToReturn;

    boolean isThere() {
        return ticksToReturn == 0;
    }

    void save(DataOutput out) throws IOException {
        out.writeDouble(x);
        out.writeDouble(y);
        out.writeInt(ticksToReturn);
    }

    static Gem restore(DataInput in) throws IOException {
        Gem gem = new Gem();
        gem.x = in.readDouble();
        gem.y = in.readDouble();
        gem.ticksToReturn = in.readInt();
        return gem;
    }
}
