/** Sessions that come back: what a client does when its session was lost. */
@NullMarked
package io.kcp.netty.reconnect;

import org.jspecify.annotations.NullMarked;
