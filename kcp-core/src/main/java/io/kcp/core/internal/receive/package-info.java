/**
 * The receiving half of a conversation: received segments, complete messages, and the acknowledgements that are due. Start reading with
 * {@code PushReader} and {@code ReceiveWindow}.
 */
@NullMarked
package io.kcp.core.internal.receive;

import org.jspecify.annotations.NullMarked;
