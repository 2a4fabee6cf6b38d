/**
 * Annotated methods for what happens to KCP sessions.
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
 * <p>A class with {@link io.kcp.spring.handler.KcpController} has methods with {@link io.kcp.spring.handler.OnOpen},
 * {@link io.kcp.spring.handler.OnMessage}, {@link io.kcp.spring.handler.OnClose} and {@link io.kcp.spring.handler.OnError}.
 * Mistakes in their signatures fail the start of the application.
 */
@NullMarked
package io.kcp.spring.handler;

import org.jspecify.annotations.NullMarked;
