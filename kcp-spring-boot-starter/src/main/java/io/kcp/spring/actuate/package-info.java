/** Health, metrics and the endpoint {@code kcp} of KCP servers, if Spring Boot Actuator is on the class path. */
@NullMarked
package io.kcp.spring.actuate;

import org.jspecify.annotations.NullMarked;
