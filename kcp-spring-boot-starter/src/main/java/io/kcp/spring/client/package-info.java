/** Auto-configuration of {@link io.kcp.spring.KcpClientFactory}, and its default implementation. */
@NullMarked
package io.kcp.spring.client;

import org.jspecify.annotations.NullMarked;
