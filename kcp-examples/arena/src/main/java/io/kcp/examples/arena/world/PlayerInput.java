package io.kcp.examples.arena.world;

/**
 * What a player wants at the moment; holds until the next one.
 *
 * @param sequence which input it is, from 1; older ones than the last are ignored
 * @param moveX    to the right, -{@value #MAX_MOVE} to {@value #MAX_MOVE}
 * @param moveY    downwards, the same
 * @param aim      where it looks: 256ths of a turn, clockwise from the right
 * @param firing   whether it shoots
 */
public record PlayerInput(int sequence, int moveX, int moveY, int aim, boolean firing) {

    /** As fast as one can. */
    public static final int MAX_MOVE = 127;
    /** Wants nothing. */
    static final PlayerInput NONE = new PlayerInput(0, 0, 0, 0, false);

    /** Checks the values. */
    public PlayerInput {
        inRange("moveX", moveX, -MAX_MOVE, MAX_MOVE);
        inRange("moveY", moveY, -MAX_MOVE, MAX_MOVE);
        inRange("aim", aim, 0, Directions.COUNT - 1);
    }

    private static void inRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + " to " + max + ')');
        }
    }
}
