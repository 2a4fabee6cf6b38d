package io.kcp.spring.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

/**
 * Indicates that a class is a controller for the sessions of KCP servers. Its methods are annotated with {@link OnOpen},
 * {@link OnMessage}, {@link OnClose} and {@link OnError}. One bean serves all sessions, so keep the state of a session in channel
 * attributes ({@link io.kcp.netty.KcpChannel#attr}) or in a map.
 *
 * <p>If {@code kcp.server.smux} is set, controllers handle each smux stream of a session like a session. Methods then accept the
 * {@link io.kcp.netty.smux.SmuxStreamChannel} as a parameter, which carries the messages. A {@link io.kcp.netty.KcpChannel} parameter is
 * the session of the stream. Closing a stream leaves the session open.
 *
 * <h2>Threads and order</h2>
 * For each session, methods are called one at a time: {@code @OnOpen} first, then {@code @OnMessage} in the order in which the peer sent
 * the messages, then {@code @OnClose}. Methods run on the event loop of the session, where they must not block, or on virtual threads,
 * where they may block. A method that returns a future does not delay the next message. Responses are written in the order in which the
 * futures complete.
 *
 * <h2>Writing</h2>
 * Any thread may write to a session at any time. All types that {@link OnMessage} methods may return can be written:
 * {@code session.writeAndFlush("hello")}, or an object of the type of a {@link KcpMessageCodec} bean.
 *
 * <h2>Back-pressure</h2>
 * Reading from a session is suspended while {@link #maxPending()} of its messages wait for a virtual thread or for the future of their
 * response, and while the session is not writable ({@link io.kcp.netty.KcpChannel#isWritable()}). The KCP receive window then closes, and
 * the peer stops sending. While {@link #maxPending()} messages wait, out-of-band messages are dropped.
 *
 * <h2>Closing</h2>
 * Closing a session discards its queued messages. When the server closes instead, because the application stops or calls
 * {@link io.kcp.netty.KcpServerChannel#close()}, each session is drained first:
 * <ul>
 * <li>Received messages are read and handled, and the responses are written, even if auto-read is off. From a peer that keeps sending, at
 * most two receive windows of messages are read.</li>
 * <li>Out-of-band messages are dropped.</li>
 * <li>If the peer acknowledges nothing for the linger time, reading stops and the session is closed without the remaining responses.
 * Pending writes fail, and messages that wait for a virtual thread are still handled.</li>
 * <li>A method that does not return delays the close for at most {@code spring.lifecycle.timeout-per-shutdown-phase}.</li>
 * <li>The drain does not delay {@code close}, {@code closeBecause} and a kick by the application.</li>
 * </ul>
 *
 * <h2>Several controllers</h2> Each message is passed to a single {@code @OnMessage} method. Among the methods of all controllers of the
 * server, this is the method whose parameter type matches best. {@code @OnOpen} and {@code @OnClose} methods of all controllers are called
 * in the order of the beans ({@code @Order}).
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Component
public @interface KcpController {

    /**
     * Returns the name of the controller bean, as {@link Component#value()} does.
     *
     * @return the name; empty to derive it from the class name
     */
    @AliasFor(annotation = Component.class)
    String value() default "";

    /**
     * Returns the name of the server whose sessions this controller handles.
     *
     * @return {@code <name>} for {@code kcp.servers.<name>}, {@code server} for {@code kcp.server}; empty for all servers
     */
    String server() default "";

    /**
     * Returns the kind of threads that call the methods. All controllers of one server must use the same value.
     *
     * @return the kind of threads
     */
    KcpExecution execution() default KcpExecution.AUTO;

    /**
     * Returns the number of unfinished messages of a session at which reading from the session is suspended. A message is finished when
     * its method has returned and the future that the method returned, if any, is done. The messages of a read that is already in progress
     * may exceed the limit. If the controllers of a server differ, the smallest value applies.
     *
     * @return maximum number of messages, at least 1
     */
    int maxPending() default 64;

    /**
     * Returns the type of the messages that the application's {@code JsonMapper} bean converts from and to JSON. The type is a record, or a
     * sealed or abstract type whose {@code @JsonTypeInfo} names its subtypes. No {@link KcpMessageCodec} bean is needed for this type.
     *
     * @return the type; {@code void} if messages are not JSON
     */
    Class<?> json() default void.class;
}
