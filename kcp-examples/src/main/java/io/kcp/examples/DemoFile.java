package io.kcp.examples;

import java.nio.channels.FileChannel;

/**
 * What the demo sends, and how.
 *
 * @param channel        the file
 * @param name           its name
 * @param bytes          how much of it
 * @param chunkBytes     in pieces of this size, whose delays are measured
 * @param bytesPerSecond at this rate
 */
record DemoFile(FileChannel channel, String name, long bytes, int chunkBytes, double bytesPerSecond) {
}
