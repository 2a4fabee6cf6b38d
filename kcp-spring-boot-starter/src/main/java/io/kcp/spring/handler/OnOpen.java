package io.kcp.spring.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Marks a {@link KcpController} method that is called when a session opens, before its first message is handled.
 *
 * <p>If a session closes, or a preceding handler fails, before the first {@code @OnOpen} method has been called, neither
 * {@code @OnOpen} nor {@link OnClose} methods are called. Otherwise all methods of both kinds are called, even if one of them fails.
 *
 * <p>The method has no parameter, or one for the {@link io.kcp.netty.KcpChannel}. It may return the same types as {@link OnMessage}
 * methods; the returned value is written to the session.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnOpen {
}
