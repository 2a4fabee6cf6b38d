package io.kcp.netty;

import io.kcp.core.KcpConfig;

/**
 * A user event that is fired through the pipeline of a session after its MTU was reduced because the path loses larger datagrams. The
 * session remains open. See {@link KcpConfig#mtuFallback()}.
 *
 * @param mtuBytes the reduced MTU
 */
public record KcpMtuEvent(int mtuBytes) {
}
