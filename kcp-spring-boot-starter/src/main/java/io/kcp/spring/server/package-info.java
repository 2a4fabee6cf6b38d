/** Auto-configuration and lifecycle of the servers of {@code kcp.server} and {@code kcp.servers}. */
@NullMarked
package io.kcp.spring.server;

import org.jspecify.annotations.NullMarked;
