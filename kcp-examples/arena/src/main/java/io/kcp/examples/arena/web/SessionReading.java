package io.kcp.examples.arena.web;

import io.kcp.examples.arena.server.SessionFigures;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpSessionStats;

/**
 * One session at one moment.
 *
 * @param channel which
 * @param ageMs   since it began
 * @param stats   how it stands
 * @param player  who plays by it
 */
record SessionReading(KcpChannel channel, long ageMs, KcpSessionStats stats, SessionFigures player) {
}
