package io.kcp.examples.arena.world;

import java.util.List;

/** Map of the game world, identical in all rooms. All lengths are in units. A fighter is 32 units wide. */
public final class ArenaMap {

    /** Width of the map in units. */
    public static final int WIDTH = 1600;
    /** Height of the map in units. */
    public static final int HEIGHT = 900;
    /** Walls of the map, arranged symmetrically. */
    public static final List<Wall> WALLS = List.of(
        new Wall(780, 330, 820, 570),
        new Wall(680, 430, 920, 470),
        new Wall(260, 180, 300, 360), new Wall(260, 180, 440, 220),
        new Wall(1300, 180, 1340, 360), new Wall(1160, 180, 1340, 220),
        new Wall(260, 540, 300, 720), new Wall(260, 680, 440, 720),
        new Wall(1300, 540, 1340, 720), new Wall(1160, 680, 1340, 720),
        new Wall(600, 120, 640, 240), new Wall(960, 120, 1000, 240),
        new Wall(600, 660, 640, 780), new Wall(960, 660, 1000, 780));

    private ArenaMap() {
    }

    /** Returns {@code true} if a circle at a position touches a wall or the border. */
    static boolean blocks(double x, double y, double radius) {
        if (x < radius || y < radius || x > WIDTH - radius || y > HEIGHT - radius) {
            return true;
        }
        for (Wall wall : WALLS) {
            if (wall.touches(x, y, radius)) {
                return true;
            }
        }
        return false;
    }

    /**
     * A rectangular wall that stops fighters and shots.
     *
     * @param left   its smallest x
     * @param top    its smallest y
     * @param right  its largest x
     * @param bottom its largest y
     */
    public record Wall(int left, int top, int right, int bottom) {

        boolean touches(double x, double y, double radius) {
            double dx = x - Math.max(left, Math.min(right, x));
            double dy = y - Math.max(top, Math.min(bottom, y));
            return dx * dx + dy * dy < radius * radius;
        }
    }
}
