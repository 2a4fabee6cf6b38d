/** An arena: a game server on the Spring Boot starter, bots that load it, and a page that shows what happens. */
@NullMarked
package io.kcp.examples.arena;

import org.jspecify.annotations.NullMarked;
