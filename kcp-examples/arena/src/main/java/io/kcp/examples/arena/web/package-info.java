/** HTTP endpoints of the live page, which receives its data as server-sent events. */
@NullMarked
package io.kcp.examples.arena.web;

import org.jspecify.annotations.NullMarked;
