/**
 * Numbers that several packages use, and the arithmetic of serial numbers.
 */
@NullMarked
package io.kcp.core.internal.base;

import org.jspecify.annotations.NullMarked;
