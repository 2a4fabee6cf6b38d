package io.kcp.examples.arena.world;

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
