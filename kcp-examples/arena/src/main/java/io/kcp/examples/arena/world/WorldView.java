package io.kcp.examples.arena.world;

import java.util.List;

/**
 * State of a world after a tick, as sent to players. A newer view has a greater epoch, or the same epoch and a greater tick.
 *
 * @param epoch   version of the world, which increases when a gateway takes over the world from another gateway
 * @param tick    ticks since the world began
 * @param players the fighters
 * @param shots   the shots
 * @param gems    the gems
 * @param names   names of a few fighters; other views contain the remaining names
 */
public record WorldView(int epoch, int tick, List<Player> players, List<Point> shots, List<Point> gems,
                        List<Name> names) {

    /** Resolution of transmitted positions, in steps per unit of length. */
    public static final int UNITS_PER_LENGTH = 32;

    static int length(double units) {
        return (int) Math.max(0, Math.min(0xFFFF, Math.round(units * UNITS_PER_LENGTH)));
    }

    /**
     * Returns {@code true} if this view is newer than another.
     *
     * @param other a view of the same room
     * @return {@code true} if this view is newer
     */
    public boolean isAfter(WorldView other) {
        return epoch != other.epoch ? epoch > other.epoch : tick > other.tick;
    }

    /**
     * State of a fighter.
     *
     * @param id     its number in this world, 1 to 65535
     * @param x      from the left, in {@link #UNITS_PER_LENGTH}ths of a unit
     * @param y      from the top, in {@link #UNITS_PER_LENGTH}ths of a unit
     * @param aim    direction: 256ths of a turn, clockwise from the right
     * @param health 0 (defeated) to 100
     * @param score  0 to 65535
     */
    public record Player(int id, int x, int y, int aim, int health, int score) {
    }

    /**
     * Position of a shot or a gem.
     *
     * @param x from the left, in {@link #UNITS_PER_LENGTH}ths of a unit
     * @param y from the top, in {@link #UNITS_PER_LENGTH}ths of a unit
     */
    public record Point(int x, int y) {
    }

    /**
     * Name of a fighter.
     *
     * @param id   number of the fighter in this world
     * @param user login of its player
     */
    public record Name(int id, String user) {
    }
}
