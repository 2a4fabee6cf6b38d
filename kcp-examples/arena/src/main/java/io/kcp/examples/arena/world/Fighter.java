package io.kcp.examples.arena.world;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** A player in the world. */
final class Fighter {

    static final double RADIUS = 16;
    static final int FULL_HEALTH = 100;
    static final int MAX_SCORE = 0xFFFF;

    private static final double ACCELERATION = 56; // units a second, each tick
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

    Fighter(int id, String user) {
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

    /** Moves for one tick; the axes apart, so that one slides along walls. */
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

    PlayerView view() {
        return new PlayerView(id, WorldView.length(x), WorldView.length(y), input.aim(), health, score);
    }

    boolean isWithin(double distance, double otherX, double otherY) {
        double dx = x - otherX;
        double dy = y - otherY;
        return dx * dx + dy * dy < distance * distance;
    }

    void save(DataOutput out) throws IOException {
        out.writeInt(id);
        out.writeUTF(user);
        out.writeDouble(x);
        out.writeDouble(y);
        out.writeDouble(velocityX);
        out.writeDouble(velocityY);
        out.writeInt(health);
        out.writeInt(score);
        out.writeInt(ticksToShot);
        out.writeInt(ticksToReturn);
        out.writeInt(silentTicks);
        out.writeInt(input.sequence());
        out.writeInt(input.moveX());
        out.writeInt(input.moveY());
        out.writeInt(input.aim());
        out.writeBoolean(input.firing());
    }

    static Fighter restore(DataInput in) throws IOException {
        Fighter fighter = new Fighter(in.readInt(), in.readUTF());
        fighter.x = in.readDouble();
        fighter.y = in.readDouble();
        fighter.velocityX = in.readDouble();
        fighter.velocityY = in.readDouble();
        fighter.health = in.readInt();
        fighter.score = in.readInt();
        fighter.ticksToShot = in.readInt();
        fighter.ticksToReturn = in.readInt();
        fighter.silentTicks = in.readInt();
        fighter.input = new PlayerInput(in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readBoolean());
        return fighter;
    }
}
