package io.kcp.spring.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * A method of a {@link KcpController} that is called when another method of the server's controllers threw, the future of an answer
 * failed, a message could not be read ({@link KcpMessageException}) or an answer not be written, or a handler in front of the
 * controllers failed. The session stays open unless the method closes it.
 *
 * <p>May take, in any order, the {@link io.kcp.netty.KcpChannel} and an exception, whose type says which ones it is for; the
 * closest type wins. May return what {@link OnMessage} may.
 *
 * <p>What no such method takes is logged and closes the session, with a {@link KcpControllerException} for {@link OnClose}; the
 * server and its other sessions go on. What peers can cause, {@link KcpMessageException}s and failures of handlers in front, is logged
 * as a warning once for each kind and server, then at debug level; all else as an error.
 *
 * <p>A {@link io.kcp.netty.KcpRejectedException} is no error either, and comes to no such method: it closes the session after what was
 * written to it, and is logged at debug level.
 *
 * <p>That a session was lost is not an error but {@link OnClose}'s, nor is a {@link java.nio.channels.ClosedChannelException} that a
 * method throws, or its future fails with, once its own session has ended.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnError {
}
