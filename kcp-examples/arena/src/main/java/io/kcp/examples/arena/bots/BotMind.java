package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.world.PlayerInput;
import io.kcp.examples.arena.world.WorldView;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Controls the fighter of a bot: the fighter moves to the nearest gem and shoots at nearby fighters. A fighter that is stuck moves in a
 * random direction for a while.
 */
final class BotMind {

    private static final int NEAR = 350 * WorldView.UNITS_PER_LENGTH;
    private static final int STUCK = 6 * WorldView.UNITS_PER_LENGTH;
    private static final int WANDER_THOUGHTS = 5;
    private static final int DIRECTIONS = 256;

    private final Random random;
    private int id;
    private int lastX;
    private int lastY;
    private int wander;
    private int wanderX;
    private int wanderY;
    private int sequence;

    BotMind(Random random) {
        this.random = random;
    }

    /** Returns the next input for the latest view of the world. Without a view, the fighter does not move. */
    PlayerInput think(String login, @Nullable WorldView view) {
        sequence++;
        if (view == null) {
            return new PlayerInput(sequence, 0, 0, 0, false);
        }
        for (WorldView.Name name : view.names()) {
            if (name.user().equals(login)) {
                id = name.id();
            }
        }
        WorldView.Player self = null;
        for (WorldView.Player player : view.players()) {
            if (player.id() == id) {
                self = player;
            }
        }
        return self == null || self.health() == 0 ? new PlayerInput(sequence, 0, 0, 0, false) : act(self, view);
    }

    private PlayerInput act(WorldView.Player self, WorldView view) {
        WorldView.Player enemy = nearestEnemy(self, view.players());
        int aim = self.aim();
        boolean firing = false;
        if (enemy != null) {
            aim = (int) Math.round(Math.atan2(enemy.y() - self.y(), enemy.x() - self.x()) / (2 * Math.PI) * DIRECTIONS) & DIRECTIONS - 1;
            firing = random.nextInt(3) > 0;
        }
        if (wander > 0) {
            wander--;
        } else if (Math.abs(self.x() - lastX) + Math.abs(self.y() - lastY) < STUCK) {
            wander = WANDER_THOUGHTS;
            wanderX = random.nextInt(2 * PlayerInput.MAX_MOVE + 1) - PlayerInput.MAX_MOVE;
            wanderY = random.nextInt(2 * PlayerInput.MAX_MOVE + 1) - PlayerInput.MAX_MOVE;
        }
        lastX = self.x();
        lastY = self.y();
        if (wander > 0) {
            return new PlayerInput(sequence, wanderX, wanderY, aim, firing);
        }
        WorldView.Point gem = nearestGem(self, view.gems());
        if (gem == null) {
            return new PlayerInput(sequence, 0, 0, aim, firing);
        }
        return new PlayerInput(sequence, toward(self.x(), gem.x()), toward(self.y(), gem.y()), aim, firing);
    }

    private static int toward(int from, int to) {
        return Math.max(-PlayerInput.MAX_MOVE, Math.min(PlayerInput.MAX_MOVE, to - from));
    }

    private WorldView.@Nullable Player nearestEnemy(WorldView.Player self, List<WorldView.Player> players) {
        WorldView.Player nearest = null;
        long best = (long) NEAR * NEAR;
        for (WorldView.Player player : players) {
            long distance = square(player.x() - self.x()) + square(player.y() - self.y());
            if (player.id() != id && player.health() > 0 && distance < best) {
                best = distance;
                nearest = player;
            }
        }
        return nearest;
    }

    private static WorldView.@Nullable Point nearestGem(WorldView.Player self, List<WorldView.Point> gems) {
        WorldView.Point nearest = null;
        long best = Long.MAX_VALUE;
        for (WorldView.Point gem : gems) {
            long distance = square(gem.x() - self.x()) + square(gem.y() - self.y());
            if (distance < best) {
                best = distance;
                nearest = gem;
            }
        }
        return nearest;
    }

    private static long square(long number) {
        return number * number;
    }
}
