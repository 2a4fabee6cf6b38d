package io.kcp.examples.arena.world;

/**
 * State of a fighter.
 *
 * @param id     its number in this world, 1 to 65535
 * @param x      from the left, in {@link WorldView#UNITS_PER_LENGTH}ths of a unit
 * @param y      from the top, in {@link WorldView#UNITS_PER_LENGTH}ths of a unit
 * @param aim    direction: 256ths of a turn, clockwise from the right
 * @param health 0 (defeated) to 100
 * @param score  0 to 65535
 */
public record PlayerView(int id, int x, int y, int aim, int health, int score) {
}
