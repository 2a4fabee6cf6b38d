/** Load program of java-Kcp. */
@NullMarked
package io.kcp.interop.javakcp;

import org.jspecify.annotations.NullMarked;
