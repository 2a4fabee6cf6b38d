/** A game server with controllers of the Spring Boot starter, bots that play there, and a page that shows the worlds and sessions live. */
@NullMarked
package io.kcp.examples.arena;

import org.jspecify.annotations.NullMarked;
