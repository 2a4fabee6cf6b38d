/**
 * Messages of the arena protocol and their binary encoding. Clients in other languages can implement this encoding. Each KCP message
 * contains one {@link io.kcp.examples.arena.wire.ArenaMessage}, which consists of a byte for its kind and its fields in network byte order.
 * Each message has exactly one valid encoding.
 *
 * <table>
 * <caption>The messages</caption>
 * <tr><th>kind</th><th>message</th><th>fields</th></tr>
 * <tr><td>1</td><td>Join</td><td>name room, name player, token, u32 attempt, bool resume, position after, u64 next sequence</td></tr>
 * <tr><td>2</td><td>Input</td><td>u32 sequence, i8 right, i8 down, u8 aim, bool firing</td></tr>
 * <tr><td>3</td><td>Say</td><td>u64 sequence, text</td></tr>
 * <tr><td>4</td><td>Ping</td><td>u64 id, u32 snapshots seen</td></tr>
 * <tr><td>5</td><td>Leave</td><td></td></tr>
 * <tr><td>65</td><td>Welcome</td><td>name login, bool resumed, position, name gateway</td></tr>
 * <tr><td>66</td><td>Snapshot</td><td>u32 epoch, u32 tick, u8 n × (u16 id, u16 x, u16 y, u8 aim, u8 health, u16 score) players,
 * u8 n × (u16 x, u16 y) shots, the same of gems, u8 n × (u16 id, name login) names</td></tr>
 * <tr><td>67</td><td>Said</td><td>position, name login, u64 sequence, text</td></tr>
 * <tr><td>68</td><td>Ack</td><td>u64 sequence</td></tr>
 * <tr><td>69</td><td>Pong</td><td>u64 id</td></tr>
 * <tr><td>70</td><td>Kicked</td><td>u8 reason, in the order of {@link io.kcp.examples.arena.wire.KickReason}, text</td></tr>
 * </table>
 *
 * <p>A name is encoded as a length byte and ASCII, a text as a u16 length and UTF-8, a token as 16 bytes, a position as two u64, and a
 * bool as 0 or 1.
 */
@NullMarked
package io.kcp.examples.arena.wire;

import org.jspecify.annotations.NullMarked;
