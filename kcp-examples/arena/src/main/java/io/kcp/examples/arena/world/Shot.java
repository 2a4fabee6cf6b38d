package io.kcp.examples.arena.world;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A shot, which flies straight until it hits something or reaches its maximum range. */
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

    @JsonCreator
    Shot(@JsonProperty("shooter") int shooter, @JsonProperty("x") double x, @JsonProperty("y") double y,
         @JsonProperty("velocityX") double velocityX, @JsonProperty("velocityY") double velocityY,
         @JsonProperty("ticksLeft") int ticksLeft) {
        this.shooter = shooter;
        this.x = x;
        this.y = y;
        this.velocityX = velocityX;
        this.velocityY = velocityY;
        this.ticksLeft = ticksLeft;
    }

    /** Moves the shot by a fraction of a tick, so that it cannot pass through a fighter between two checks. */
    void step() {
        x += velocityX * STEP_SECONDS;
        y += velocityY * STEP_SECONDS;
    }
}
