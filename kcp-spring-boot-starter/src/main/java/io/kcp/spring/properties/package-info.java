/**
 * Configuration properties {@code kcp.server}, {@code kcp.servers} and {@code kcp.client}, and their conversion to settings of the
 * library.
 */
@NullMarked
package io.kcp.spring.properties;

import org.jspecify.annotations.NullMarked;
