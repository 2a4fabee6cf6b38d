package io.kcp.spring.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * A method of a {@link KcpController} that is called for a message.
 *
 * <h2>Parameters</h2>
 * The message, and if it wants the {@link io.kcp.netty.KcpChannel}, in any order. The message is
 * <ul>
 * <li>a {@code ByteBuf}, <b>borrowed</b>: who needs it after the call retains it, or a copy;</li>
 * <li>a {@code byte[]} or a {@code String} (UTF-8);</li>
 * <li>what a {@link KcpMessageCodec} bean makes of it, or a subtype of that: then several methods share the messages, and the
 * closest type wins;</li>
 * <li>a {@link io.kcp.netty.KcpOobMessage}, <b>borrowed</b>: the method is for out-of-band messages then, beside the others.</li>
 * </ul>
 *
 * <h2>Return value</h2>
 * Is written to the session and flushed: a {@code ByteBuf} (<b>taken</b>; the borrowed message itself may be returned as it is,
 * parts of it must be retained), a {@code byte[]} (taken: not to be changed any more), a {@code String} (UTF-8), a
 * {@link io.kcp.netty.KcpOobMessage} (taken), or a type that a {@link KcpMessageCodec} bean writes. Also a {@code CompletionStage}
 * or Netty {@code Future} of one of these, written when it completes; a {@code ByteBuf} in there is always taken. Null writes
 * nothing.
 *
 * <p>In stream mode what is read are pieces of any length: put a decoder in front with a {@link KcpSessionCustomizer}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnMessage {
}
