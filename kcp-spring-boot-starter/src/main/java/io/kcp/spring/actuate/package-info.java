/** Actuator support for KCP servers: a health indicator, metrics and an endpoint. */
@NullMarked
package io.kcp.spring.actuate;

import org.jspecify.annotations.NullMarked;
