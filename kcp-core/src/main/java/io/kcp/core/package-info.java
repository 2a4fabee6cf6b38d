/**
 * The KCP protocol machine: reliable, ordered, low-latency delivery of bytes or messages over datagrams, without I/O.
 *
 * <p>{@link io.kcp.core.Kcp} is one conversation. It reads no clock, starts no thread, opens no socket, logs nothing and
 * has no static state: time and randomness are arguments, datagrams leave through {@link io.kcp.core.KcpOutput}. One
 * thread at a time may use a conversation; nothing here is synchronised.
 *
 * <h2>Buffers</h2>
 * Three words are used wherever a {@code ByteBuf} crosses a method: <b>takes</b> (the callee releases it, on failure
 * too), <b>borrows</b> (the callee neither releases nor keeps it, or retains what it keeps) and <b>returns owned</b>
 * (the caller releases it).
 *
 * <h2>Names</h2>
 * Wire fields keep their protocol names ({@code conv cmd frg wnd ts sn una len}). State has words and units; readers who
 * know the C original or kcp-go find them here:
 * <table>
 * <caption>Names of the C original and kcp-go, and ours</caption>
 * <tr><th>there</th><th>here</th></tr>
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
 * <tr><td>{@code frg}</td><td>{@code frg}: fragments still to follow, 0 on the last</td></tr>
 * </table>
 */
@NullMarked
package io.kcp.core;

import org.jspecify.annotations.NullMarked;
