package io.kcp.examples.arena.world;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The fighter of a player. */
final class Fighter {

    static final double RADIUS = 16;
    static final int FULL_HEALTH = 100;
    static final int MAX_SCORE = 0xFFFF;

    /** Change of the speed per tick, in units per second. */
    private static final double ACCELERATION = 56;
    private static final double FRICTION = 0.82;
    private static final double BOUNCE = -0.4;

    final int id;
    final String user;
    double x;
    double y;
    double velocityX;
    double velocityY;
    int health;
    int score;
    int ticksToShot;
    int ticksToReturn;
    int silentTicks;
    PlayerInput input = PlayerInput.NONE;

    @JsonCreator
    Fighter(@JsonProperty("id") int id, @JsonProperty("user") String user) {
        this.id = id;
        this.user = user;
    }

    boolean isAlive() {
        return health > 0;
    }

    void appear(double atX, double atY) {
        x = atX;
        y = atY;
        velocityX = 0;
        velocityY = 0;
        health = FULL_HEALTH;
    }

    void addScore(int points) {
        score = Math.min(MAX_SCORE, score + points);
    }

    /** Moves for one tick. The axes move separately, so that a fighter slides along walls. */
    void move() {
        velocityX = FRICTION * (velocityX + input.moveX() * ACCELERATION / PlayerInput.MAX_MOVE);
        velocityY = FRICTION * (velocityY + input.moveY() * ACCELERATION / PlayerInput.MAX_MOVE);
        double nextX = x + velocityX * World.SECONDS_PER_TICK;
        if (ArenaMap.blocks(nextX, y, RADIUS)) {
            velocityX *= BOUNCE;
        } else {
            x = nextX;
        }
        double nextY = y + velocityY * World.SECONDS_PER_TICK;
        if (ArenaMap.blocks(x, nextY, RADIUS)) {
            velocityY *= BOUNCE;
        } else {
            y = nextY;
        }
    }

    WorldView.Player view() {
        return new WorldView.Player(id, WorldView.length(x), WorldView.length(y), input.aim(), health, score);
    }

    boolean isWithin(double distance, double otherX, double otherY) {
        double dx = x - otherX;
        double dy = y - otherY;
        return dx * dx + dy * dy < distance * distance;
    }
}
