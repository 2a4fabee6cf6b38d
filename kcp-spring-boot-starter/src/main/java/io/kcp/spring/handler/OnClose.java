package io.kcp.spring.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * A method of a {@link KcpController} that is called once when a session has ended, after its last message, if the {@link OnOpen}
 * methods were called for it.
 *
 * <p>May take, in any order, the {@link io.kcp.netty.KcpChannel}, a {@link io.kcp.netty.KcpCloseReason} and a
 * {@link Throwable}: why it ended, both null if this side closed it and all was delivered. Where a method of a controller failed
 * the reason is {@link io.kcp.netty.KcpCloseReason#APPLICATION_FAILED} and the throwable a {@link KcpControllerException} or a
 * {@link KcpMessageException}, also where it failed after the session had ended: why that was is a suppressed exception then. After
 * {@link io.kcp.netty.KcpChannel#closeBecause} it is what was given there. After a
 * {@link io.kcp.netty.KcpRejectedException} the reason is {@link io.kcp.netty.KcpCloseReason#REJECTED} and the throwable that exception.
 * Returns nothing. The session takes no more writes.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnClose {
}
