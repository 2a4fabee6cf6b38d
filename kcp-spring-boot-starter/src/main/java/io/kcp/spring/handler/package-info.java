/**
 * Support for controllers, which are beans whose annotated methods handle the events of KCP sessions.
 *
 * <pre>{@code
 * @KcpController
 * class Chat {
 *
 *     @OnMessage
 *     String answer(KcpChannel session, String message) {
 *         return "you said " + message;
 *     }
 * }
 * }</pre>
 *
 * <p>A class annotated with {@link io.kcp.spring.handler.KcpController} has methods annotated with {@link io.kcp.spring.handler.OnOpen},
 * {@link io.kcp.spring.handler.OnMessage}, {@link io.kcp.spring.handler.OnClose} and {@link io.kcp.spring.handler.OnError}.
 * The application fails to start if a signature is invalid.
 */
@NullMarked
package io.kcp.spring.handler;

import org.jspecify.annotations.NullMarked;
