package io.kcp.spring.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Marks a {@link KcpController} method that handles received messages.
 *
 * <h2>Parameters</h2>
 * The message and, optionally, the {@link io.kcp.netty.KcpChannel}, in any order. With {@code kcp.server.smux}, the
 * {@link io.kcp.netty.smux.SmuxStreamChannel} is possible as well. The type of the message is one of
 * <ul>
 * <li>{@code ByteBuf}, <b>borrowed</b>: a method that uses the buffer after it has returned must retain or copy it;</li>
 * <li>{@code byte[]} or {@code String} (UTF-8);</li>
 * <li>the type that a {@link KcpMessageCodec} bean decodes, or a subtype of it. Several methods may accept different subtypes; the
 * method with the closest type is called;</li>
 * <li>{@link io.kcp.netty.KcpOobMessage}, <b>borrowed</b>: the method handles out-of-band messages, and other methods handle the
 * messages of the session.</li>
 * </ul>
 *
 * <h2>Return value</h2>
 * The value is written to the session and flushed; null writes nothing. The type is one of
 * <ul>
 * <li>{@code ByteBuf}, <b>taken</b>: the borrowed message itself may be returned without retaining it, but slices of it must be
 * retained;</li>
 * <li>{@code byte[]}, taken: the array must not be modified afterwards;</li>
 * <li>{@code String} (UTF-8);</li>
 * <li>{@link io.kcp.netty.KcpOobMessage}, taken;</li>
 * <li>a type that a {@link KcpMessageCodec} bean encodes;</li>
 * <li>{@code CompletionStage} or Netty {@code Future} of one of these types: the value is written when the future completes, and a
 * {@code ByteBuf} is always taken.</li>
 * </ul>
 *
 * <p>In stream mode, a read delivers a chunk of arbitrary length. Set {@code kcp.server.packets.enabled} to receive whole packets, or add a
 * frame decoder with a {@link KcpSessionCustomizer}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnMessage {
}
