/**
 * Things to run and to copy from. {@link io.kcp.examples.EchoServer} and {@link io.kcp.examples.EchoClient} are the least
 * that works; {@link io.kcp.examples.FileSender} and {@link io.kcp.examples.FileReceiver} show back-pressure and orderly
 * ends; {@link io.kcp.examples.Demo} compares the delays of presets and TCP on a
 * lossy link.
 */
@NullMarked
package io.kcp.examples;

import org.jspecify.annotations.NullMarked;
