package io.kcp.examples.arena.world;

import java.util.List;

/**
 * State of a world after a tick, as shown to players. A newer view has a greater epoch, or the same epoch and a greater tick.
 *
 * @param epoch   version of the world: grows when a gateway takes it over from another
 * @param tick    ticks since the world began
 * @param players the fighters
 * @param shots   the shots
 * @param gems    the gems
 * @param names   names of a few fighters; the following views carry the others
 */
public record WorldView(int epoch, int tick, List<PlayerView> players, List<PointView> shots, List<PointView> gems,
                        List<NameView> names) {

    /** Resolution of positions, which are transmitted in fractions of a unit. */
    public static final int UNITS_PER_LENGTH = 32;

    static int length(double units) {
        return (int) Math.max(0, Math.min(0xFFFF, Math.round(units * UNITS_PER_LENGTH)));
    }

    /**
     * Returns {@code true} if this view is newer than another.
     *
     * @param other a view of the same room
     * @return {@code true} if it is
     */
    public boolean isAfter(WorldView other) {
        return epoch != other.epoch ? epoch > other.epoch : tick > other.tick;
    }
}
