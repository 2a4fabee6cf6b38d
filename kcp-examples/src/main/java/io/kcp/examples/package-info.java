/**
 * Runnable example programs. {@link io.kcp.examples.EchoServer} and {@link io.kcp.examples.EchoClient} are minimal programs.
 * {@link io.kcp.examples.FileSender} and {@link io.kcp.examples.FileReceiver} show back-pressure and an orderly close.
 * {@link io.kcp.examples.Demo} compares the delays of several presets and of TCP on a lossy link. Programs that users run rather than
 * read, such as the tunnel, are in {@link io.kcp.tools}.
 */
@NullMarked
package io.kcp.examples;

import org.jspecify.annotations.NullMarked;
