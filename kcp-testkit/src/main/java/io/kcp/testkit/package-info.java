/**
 * Simulated and lossy networks for tests.
 *
 * <p>{@link io.kcp.testkit.KcpPair} runs two KCP conversations over simulated links with a virtual clock. It needs no socket and no
 * thread, and the same seed always gives the same run. {@link io.kcp.testkit.SimulatedNetwork} simulates links for any code that takes
 * time as an argument.
 *
 * <p>{@link io.kcp.testkit.LossyLinkHandler} emulates a link in the pipeline of a datagram channel, for tests with a real server and a
 * real client. Simulated links and emulated links use the same {@link io.kcp.testkit.LinkProfile}, which has a rate, a queue, delay,
 * jitter, loss, reordering, duplication and corruption. {@link io.kcp.testkit.LossyRelay} is such a link for clients or servers in other
 * processes.
 *
 * <p>The terms <b>takes</b>, <b>borrows</b> and <b>returns owned</b> for buffers are defined in {@link io.kcp.core}.
 */
@NullMarked
package io.kcp.testkit;

import org.jspecify.annotations.NullMarked;
