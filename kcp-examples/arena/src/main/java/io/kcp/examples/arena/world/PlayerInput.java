package io.kcp.examples.arena.world;

/**
 * A player's input, which remains in effect until the player's next input.
 *
 * @param sequence number of the input, from 1; an input with a lower number than the last is ignored
 * @param moveX    to the right, -{@value #MAX_MOVE} to {@value #MAX_MOVE}
 * @param moveY    downwards, -{@value #MAX_MOVE} to {@value #MAX_MOVE}
 * @param aim      direction: 256ths of a turn, clockwise from the right
 * @param firing   whether the fighter shoots
 */
public record PlayerInput(int sequence, int moveX, int moveY, int aim, boolean firing) {

    /** Number of directions in which a player can aim. */
    public static final int DIRECTIONS = 256;
    /** Full speed. */
    public static final int MAX_MOVE = 127;
    /** Stands still. */
    static final PlayerInput NONE = new PlayerInput(0, 0, 0, 0, false);

    /** Checks the values. */
    public PlayerInput {
        inRange("moveX", moveX, -MAX_MOVE, MAX_MOVE);
        inRange("moveY", moveY, -MAX_MOVE, MAX_MOVE);
        inRange("aim", aim, 0, DIRECTIONS - 1);
    }

    private static void inRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + " to " + max + ')');
        }
    }
}
