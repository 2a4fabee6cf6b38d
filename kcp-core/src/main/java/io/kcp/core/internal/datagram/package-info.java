/**
 * Datagrams that a conversation sends: {@code DatagramWriter} fills them with segments. Also the limit on what is sent to a peer whose
 * address is not validated, and repeated acknowledgements.
 */
@NullMarked
package io.kcp.core.internal.datagram;

import org.jspecify.annotations.NullMarked;
