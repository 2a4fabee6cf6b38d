package io.kcp.spring.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Marks a {@link KcpController} method that handles exceptions which occur in a session. It is called when
 * <ul>
 * <li>a method of a controller of the same server threw an exception, or the future that the method returned failed,</li>
 * <li>a message could not be decoded ({@link KcpMessageException}), or a response could not be written,</li>
 * <li>a handler before the controllers failed.</li>
 * </ul>
 * The session stays open unless the method closes it.
 *
 * <p>The parameters, both optional and in any order, are the {@link io.kcp.netty.KcpChannel} and the exception. The parameter type
 * selects the exceptions; if several methods match, the one with the closest type is called. The method may return the same types as
 * {@link OnMessage} methods.
 *
 * <p>An exception that no method handles is logged and closes its session; {@link OnClose} methods receive a
 * {@link KcpControllerException}. The server and its other sessions are not affected. Exceptions that any peer can cause
 * ({@link KcpMessageException} and exceptions of decoders) are logged as a warning only once for each type and server, and at debug level
 * after that. All other exceptions are logged as errors.
 *
 * <p>These exceptions are not passed to {@code @OnError} methods:
 * <ul>
 * <li>A {@link io.kcp.netty.KcpPeerRejectedException} closes the session after its pending writes, and is logged at debug level.</li>
 * <li>The loss of a session is passed to {@link OnClose} methods instead. If a method or its future fails with a
 * {@link java.nio.channels.ClosedChannelException} after the session has closed, this failure is ignored, because {@link OnClose} methods
 * report the close.</li>
 * </ul>
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnError {
}
