/** What Spring Boot Actuator tells of KCP servers: health, metrics, and the endpoint {@code kcp}. Only where Actuator is. */
@NullMarked
package io.kcp.spring.actuate;

import org.jspecify.annotations.NullMarked;
