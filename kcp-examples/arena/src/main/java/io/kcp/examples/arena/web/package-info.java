/** The page: what happens in the arena, as events that the browser is sent. */
@NullMarked
package io.kcp.examples.arena.web;

import org.jspecify.annotations.NullMarked;
