/** Options and error messages that the commands of this module and the examples share. */
@NullMarked
package io.kcp.tools.command;

import org.jspecify.annotations.NullMarked;
