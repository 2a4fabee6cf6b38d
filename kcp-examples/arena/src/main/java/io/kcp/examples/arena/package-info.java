/** Example of a game server that uses the controllers of the Spring Boot starter. Bots play the game, and a web page shows it live. */
@NullMarked
package io.kcp.examples.arena;

import org.jspecify.annotations.NullMarked;
