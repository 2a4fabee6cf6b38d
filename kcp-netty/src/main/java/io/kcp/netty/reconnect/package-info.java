/** Automatic reconnection of client sessions. */
@NullMarked
package io.kcp.netty.reconnect;

import org.jspecify.annotations.NullMarked;
