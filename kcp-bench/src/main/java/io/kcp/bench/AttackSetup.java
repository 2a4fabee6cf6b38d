package io.kcp.bench;

/**
 * Sockets, buffer and victims that the traffic of an attack uses.
 *
 * @param spoofedSources number of forged addresses of a flood
 */
record AttackSetup(AttackSources sources, AttackDatagram datagram, AttackVictims victims, int spoofedSources) {
}
