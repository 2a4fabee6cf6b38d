package io.kcp.bench.attack;

/**
 * The sockets, the buffer and the attacked sessions that the traffic of an attack uses.
 *
 * @param spoofedSources number of forged addresses of a flood
 */
record AttackSetup(AttackSources sources, AttackDatagram datagram, AttackVictims victims, int spoofedSources) {
}
