/**
 * Congestion control: how many segments a conversation may have in flight, and how fast it may send them. Each algorithm implements
 * {@link io.kcp.core.internal.congestion.CongestionControl} and receives one {@link io.kcp.core.internal.congestion.AckReport} per inbound
 * datagram that contains acknowledgements and one {@link io.kcp.core.internal.congestion.LossReport} per loss event. One
 * {@link io.kcp.core.internal.congestion.Pacer} per conversation enforces the pacing rate of every algorithm. As in the rest of the core,
 * time is an argument, and only one thread at a time may use an object.
 */
@NullMarked
package io.kcp.core.internal.congestion;

import org.jspecify.annotations.NullMarked;
