package io.kcp.netty;

import io.kcp.core.KcpConfig;

/**
 * A user event that a session fires after its MTU was reduced because its path loses larger datagrams, see {@link KcpConfig#mtuFallback()}.
 * The session continues.
 *
 * @param mtuBytes the reduced MTU
 */
public record KcpMtuEvent(int mtuBytes) {
}
