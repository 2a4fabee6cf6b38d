/**
 * One KCP conversation: {@link io.kcp.core.conversation.Kcp}, which connects the parts in {@code io.kcp.core.internal}, and what concerns
 * the peer as a whole: reading its datagrams, proofs of its address, and the end of the conversation. Start reading with
 * {@code Kcp.input} and {@code Kcp.flush}.
 *
 * <p>Not here: sending ({@code internal.send}), receiving ({@code internal.receive}) and the settings ({@link io.kcp.core}).
 */
@NullMarked
package io.kcp.core.conversation;

import org.jspecify.annotations.NullMarked;
