/**
 * The KCP protocol without I/O: reliable, ordered, low-latency delivery of bytes or messages over datagrams.
 *
 * <p>This package contains the settings of a conversation, its statistics, and what it requires of its owner, such as
 * {@link io.kcp.core.KcpOutput}. {@link io.kcp.core.conversation.Kcp} implements the conversation. It uses no clock, thread, socket, logger
 * or static state: time and randomness are arguments. Only one thread at a time may use a conversation, because nothing is synchronized.
 *
 * <h2>Buffers</h2>
 * The Javadoc of methods with a {@code ByteBuf} uses three terms: <b>takes</b> (the callee releases the buffer, also on failure),
 * <b>borrows</b> (the callee does not release the buffer; if it keeps the buffer, it retains it) and <b>returns owned</b> (the caller
 * releases the buffer).
 *
 * <h2>Names</h2>
 * Wire fields have their protocol names ({@code conv cmd frg wnd ts sn una len}). Other variables are words with units. The table maps the
 * names of the C original and of kcp-go:
 * <table>
 * <caption>Names in the C original and kcp-go, and in this package</caption>
 * <tr><th>C, kcp-go</th><th>io.kcp.core</th></tr>
 * <tr><td>{@code snd_una}, {@code snd_nxt}, {@code snd_buf}</td><td>{@code SendWindow.oldestUnacked}, {@code nextSn}, in flight</td></tr>
 * <tr><td>{@code snd_queue}</td><td>{@code SendQueue}</td></tr>
 * <tr><td>{@code rcv_nxt}, {@code rcv_buf}, {@code rcv_queue}</td><td>{@code ReceiveWindow.nextExpected}, out of order, ready</td></tr>
 * <tr><td>{@code rmt_wnd}</td><td>{@code remoteWindow}</td></tr>
 * <tr><td>{@code cwnd}, {@code ssthresh}, {@code incr}</td><td>{@code CongestionControl}</td></tr>
 * <tr><td>{@code rx_srtt}, {@code rx_rttvar}, {@code rx_rto}, {@code rx_minrto}</td><td>{@code RttEstimator}</td></tr>
 * <tr><td>{@code resendts}, {@code fastack}, {@code xmit}</td><td>{@code LossDetector}, {@code Segment.transmissions}</td></tr>
 * <tr><td>{@code dead_link}</td><td>{@code KcpConfig.maxTransmissions}</td></tr>
 * <tr><td>{@code fastresend}, {@code nocwnd}, {@code nodelay}</td><td>{@code KcpConfig.fastResend, congestionControl, noDelay}</td></tr>
 * <tr><td>{@code probe}, {@code ts_probe}, {@code probe_wait}</td><td>{@code WindowProbe}</td></tr>
 * <tr><td>{@code acklist}</td><td>{@code AckQueue}</td></tr>
 * <tr><td>{@code frg}</td><td>{@code frg}: number of fragments that follow, 0 for the last one</td></tr>
 * </table>
 */
@NullMarked
package io.kcp.core;

import org.jspecify.annotations.NullMarked;
