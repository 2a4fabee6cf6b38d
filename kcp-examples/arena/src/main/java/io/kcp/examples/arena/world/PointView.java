package io.kcp.examples.arena.world;

/**
 * Position of a shot or a gem.
 *
 * @param x from the left, in {@link WorldView#UNITS_PER_LENGTH}ths of a unit
 * @param y from the top, in {@link WorldView#UNITS_PER_LENGTH}ths of a unit
 */
public record PointView(int x, int y) {
}
