/** Who is connected: sessions by user and by group. */
@NullMarked
package io.kcp.netty.registry;

import org.jspecify.annotations.NullMarked;
