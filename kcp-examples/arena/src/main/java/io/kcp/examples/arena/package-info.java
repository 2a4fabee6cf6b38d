/** A game backend: an arena with rooms, its bots and its page. */
@NullMarked
package io.kcp.examples.arena;

import org.jspecify.annotations.NullMarked;
