/**
 * KCP servers and clients in Spring Boot applications: the interfaces that applications use and implement.
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
