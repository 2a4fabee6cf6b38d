package io.kcp.netty;

import io.kcp.core.KcpConfig;

/**
 * A user event that is fired through the pipeline of a session after its MTU has changed. The MTU is reduced if the path loses larger
 * datagrams ({@link KcpConfig#mtuFallback()}), and grows if the path delivers a larger probe ({@link KcpConfig#mtuSearchLimitBytes()}).
 * The session remains open.
 *
 * @param mtuBytes the new MTU in bytes
 */
public record KcpMtuEvent(int mtuBytes) {
}
