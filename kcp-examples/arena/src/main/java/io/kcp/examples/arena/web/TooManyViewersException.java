package io.kcp.examples.arena.web;

/** As many look as may. */
final class TooManyViewersException extends RuntimeException {

    private static final long serialVersionUID = 1;

    TooManyViewersException(int maxViewers) {
        super(maxViewers + " look already (arena.live.max-viewers); try again later", null, false, false);
    }
}
