/** Load program of kcp-netty. */
@NullMarked
package io.kcp.interop.kcpnetty;

import org.jspecify.annotations.NullMarked;
