package io.kcp.examples.arena.world;

/**
 * Who a player is.
 *
 * @param id   its number in this world
 * @param user the login
 */
public record NameView(int id, String user) {
}
