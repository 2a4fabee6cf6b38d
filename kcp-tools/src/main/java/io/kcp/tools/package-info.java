/**
 * The command {@code kcp}. {@link io.kcp.tools.KcpCommand} lists its sub-commands: the {@linkplain io.kcp.tools.tunnel tunnel} that
 * replaces kcptun, and the {@linkplain io.kcp.tools.linkcheck measurement of a link}.
 */
@NullMarked
package io.kcp.tools;

import org.jspecify.annotations.NullMarked;
