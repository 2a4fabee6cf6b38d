package io.kcp.spring.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * A method of a {@link KcpController} that is called when a session has begun, before its first message. Neither it nor
 * {@link OnClose} is called for a session that was closed, or failed in a handler in front, before there was a turn to call it;
 * otherwise all of both kinds are, also when one of them fails.
 *
 * <p>Takes nothing or the {@link io.kcp.netty.KcpChannel}. May return what {@link OnMessage} may, which is written as a first
 * message.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnOpen {
}
