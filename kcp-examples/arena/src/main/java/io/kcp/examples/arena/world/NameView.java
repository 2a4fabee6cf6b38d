package io.kcp.examples.arena.world;

/**
 * Name of a fighter.
 *
 * @param id   number of the fighter in this world
 * @param user login of its player
 */
public record NameView(int id, String user) {
}
