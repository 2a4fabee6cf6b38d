/**
 * Measures the link to an echo server and recommends settings. Start reading with {@link io.kcp.tools.linkcheck.LinkCheck}. The page
 * {@code link-check.md} describes the output.
 */
@NullMarked
package io.kcp.tools.linkcheck;

import org.jspecify.annotations.NullMarked;
