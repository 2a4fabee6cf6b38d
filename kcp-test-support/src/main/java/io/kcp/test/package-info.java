/** Classes that the tests of all modules share. The module is not published and depends on no other module of this project. */
@NullMarked
package io.kcp.test;

import org.jspecify.annotations.NullMarked;
