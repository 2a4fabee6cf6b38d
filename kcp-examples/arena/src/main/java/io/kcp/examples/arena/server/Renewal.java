package io.kcp.examples.arena.server;

/** When a player's place is to be renewed: again and again after {@link Room#RENEW_SECONDS}, whoever else comes and goes. */
final class Renewal {

    private int secondsLeft;

    /** Is first due after some seconds, other ones than with others, so that not all are at once. */
    Renewal(int firstAfterSeconds) {
        secondsLeft = firstAfterSeconds;
    }

    /** Asked once a second. */
    boolean isDue() {
        if (secondsLeft-- > 0) {
            return false;
        }
        secondsLeft = Room.RENEW_SECONDS - 1;
        return true;
    }
}
