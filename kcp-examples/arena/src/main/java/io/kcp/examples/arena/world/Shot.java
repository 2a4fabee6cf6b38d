package io.kcp.examples.arena.world;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Something that flies straight on until it hits. */
final class Shot {

    static final double RADIUS = 4;
    static final double SPEED = 640;
    static final int STEPS = 3;
    private static final double STEP_SECONDS = World.SECONDS_PER_TICK / STEPS;

    final int shooter;
    final double velocityX;
    final double velocityY;
    double x;
    double y;
    int ticksLeft;

    Shot(int shooter, double x, double y, double velocityX, double velocityY, int ticksLeft) {
        this.shooter = shooter;
        this.x = x;
        this.y = y;
        this.velocityX = velocityX;
        this.velocityY = velocityY;
        this.ticksLeft = ticksLeft;
    }

    /** Moves by a part of a tick, so that it cannot fly through a player. */
    void step() {
        x += velocityX * STEP_SECONDS;
        y += velocityY * STEP_SECONDS;
    }

    void save(DataOutput out) throws IOException {
        out.writeInt(shooter);
        out.writeDouble(x);
        out.writeDouble(y);
        out.writeDouble(velocityX);
        out.writeDouble(velocityY);
        out.writeInt(ticksLeft);
    }

    static Shot restore(DataInput in) throws IOException {
        return new Shot(in.readInt(), in.readDouble(), in.readDouble(), in.readDouble(), in.readDouble(), in.readInt());
    }
}
