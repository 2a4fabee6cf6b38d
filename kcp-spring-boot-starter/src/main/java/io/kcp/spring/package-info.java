/**
 * Interfaces through which Spring Boot applications configure and use KCP servers and clients.
 *
 * <ul>
 * <li>{@code io.kcp.spring.handler}: controllers;</li>
 * <li>{@code io.kcp.spring.properties}: properties and their validation;</li>
 * <li>{@code io.kcp.spring.server} and {@code io.kcp.spring.client}: auto-configuration and lifecycle;</li>
 * <li>{@code io.kcp.spring.actuate}: health, metrics and the endpoint {@code kcp}.</li>
 * </ul>
 */
@NullMarked
package io.kcp.spring;

import org.jspecify.annotations.NullMarked;
