/** Load program of java-Kcp. */
package io.kcp.interop.javakcp;
