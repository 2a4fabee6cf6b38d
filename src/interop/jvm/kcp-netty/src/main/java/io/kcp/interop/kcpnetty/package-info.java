/** Load program of kcp-netty. */
package io.kcp.interop.kcpnetty;
