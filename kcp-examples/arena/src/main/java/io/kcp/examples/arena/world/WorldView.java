package io.kcp.examples.arena.world;

import java.util.List;

/**
 * How a world looks after a tick. Later ones have a greater epoch, or the same and a greater tick.
 *
 * @param epoch   how often the world has moved from one gateway to another
 * @param tick    ticks since it began, of which a gateway that crashed may have taken some that are told again
 * @param players who is there
 * @param shots   what flies
 * @param gems    what lies there
 * @param names   who some of the players are; the others come in the next ones
 */
public record WorldView(int epoch, int tick, List<PlayerView> players, List<PointView> shots, List<PointView> gems,
                        List<NameView> names) {

    /** What positions are counted in: this many make a unit. */
    public static final int UNITS_PER_LENGTH = 32;

    static int length(double units) {
        return (int) Math.max(0, Math.min(0xFFFF, Math.round(units * UNITS_PER_LENGTH)));
    }

    /**
     * Tells whether this is newer than another of the same world.
     *
     * @param other the other
     * @return whether it is
     */
    public boolean isAfter(WorldView other) {
        return epoch != other.epoch ? epoch > other.epoch : tick > other.tick;
    }
}
