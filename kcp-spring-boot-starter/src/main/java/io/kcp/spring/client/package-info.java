/** Auto-configuration and default implementation of {@link io.kcp.spring.KcpClientFactory}. */
@NullMarked
package io.kcp.spring.client;

import org.jspecify.annotations.NullMarked;
