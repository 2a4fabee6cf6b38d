package io.kcp.examples.arena.world;

/**
 * How a player looks.
 *
 * @param id     its number in this world, 1 to 65535
 * @param x      from the left, in {@link WorldView#UNITS_PER_LENGTH}ths of a unit
 * @param y      from the top, in the same
 * @param aim    where it looks: 256ths of a turn, clockwise from the right
 * @param health 0 (waits to come back) to 100
 * @param score  0 to 65535
 */
public record PlayerView(int id, int x, int y, int aim, int health, int score) {
}
