/**
 * What players and gateways say to each other: {@link io.kcp.examples.arena.wire.ArenaMessage} and its bytes. A message of KCP
 * carries one of them: a byte for its kind, then its fields in network order. Names are a length byte and ASCII; texts a length of
 * two bytes and UTF-8. There is one way to write each message, and everything else is refused.
 */
@NullMarked
package io.kcp.examples.arena.wire;

import org.jspecify.annotations.NullMarked;
