package io.kcp.examples.arena.web;

/**
 * One session at one moment: one point in each of its charts.
 *
 * @param timeMs  when, in milliseconds since 1970
 * @param session how it stood
 */
record SessionMoment(long timeMs, SessionLine session) {
}
