package io.kcp.examples.arena.web;

import io.kcp.examples.arena.world.WorldView;
import java.util.List;

/**
 * The world of a room.
 *
 * @param room  which
 * @param rooms all that are open, those with most players first
 * @param view  how it looks
 */
record LiveWorld(String room, List<String> rooms, WorldView view) {
}
