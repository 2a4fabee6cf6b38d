/** A registry of the sessions of a server, by user and by group. */
@NullMarked
package io.kcp.netty.registry;

import org.jspecify.annotations.NullMarked;
