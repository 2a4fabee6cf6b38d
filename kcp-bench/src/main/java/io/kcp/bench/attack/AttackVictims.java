package io.kcp.bench.attack;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * Live sessions that an attack can impersonate.
 *
 * @param addresses addresses of the clients
 * @param convs     conversation ids of the sessions, in the same order
 */
public record AttackVictims(List<InetSocketAddress> addresses, List<Integer> convs) {
}
