package io.kcp.spring.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Marks a {@link KcpController} method that is called once, after a session has closed and its last message has been handled. It is
 * called only if the {@link OnOpen} methods were called for the session. Writes to the session fail.
 *
 * <p>The method returns {@code void}. Its parameters, all optional and in any order, are the {@link io.kcp.netty.KcpChannel}, the
 * {@link io.kcp.netty.KcpCloseReason} and the close cause, a {@link Throwable}:
 * <ul>
 * <li>Both are null if this side closed the session and the peer acknowledged all data.</li>
 * <li>If a controller method failed, the reason is {@link io.kcp.netty.KcpCloseReason#APPLICATION_FAILED}, and the cause is a
 * {@link KcpControllerException} or a {@link KcpMessageException}. If the method failed after the session had closed, the original close
 * cause is suppressed in that exception.</li>
 * <li>After {@link io.kcp.netty.KcpChannel#closeBecause}, the cause is the exception that was passed to it.</li>
 * <li>After a {@link io.kcp.netty.KcpPeerRejectedException}, the reason is {@link io.kcp.netty.KcpCloseReason#REJECTED}, and the cause is
 * that exception.</li>
 * </ul>
 *
 * <p>With {@code kcp.server.smux}, the method is called for each stream. Both are null as well if the peer closed the stream.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnClose {
}
