/** Auto-configuration and lifecycle of the KCP servers that {@code kcp.server} and {@code kcp.servers} configure. */
@NullMarked
package io.kcp.spring.server;

import org.jspecify.annotations.NullMarked;
