/** KCP servers and clients in Spring Boot applications. */
@NullMarked
package io.kcp.spring;

import org.jspecify.annotations.NullMarked;
