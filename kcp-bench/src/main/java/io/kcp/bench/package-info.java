/**
 * Benchmarks, none of them part of the library. {@code mvn -q -Pbench -pl kcp-bench -am package -DskipTests} builds
 * {@code kcp-bench/target/benchmarks.jar}; {@code java -jar} on it runs the JMH benchmarks, {@code java -cp} and a class name
 * one of the programs:
 *
 * <ul>
 * <li>{@link io.kcp.bench.KcpLoad}: loads a server, each end in a process of its own;</li>
 * <li>{@link io.kcp.bench.SideBySide}: ours, kcp-go and others by turns, and what is to be reached;</li>
 * <li>{@link io.kcp.bench.LossyLink}: delay and goodput over a long, lossy link, with {@link io.kcp.bench.KcpDelay};</li>
 * <li>{@link io.kcp.bench.Report}: a page of the results of both; {@code kcp-bench/report.sh} does it all;</li>
 * <li>{@link io.kcp.bench.CompareCodecsWithKcpGo}: ciphers and Reed–Solomon, ours and kcp-go's by turns.</li>
 * </ul>
 *
 * <p>MB is 10<sup>6</sup> bytes, and CPU time is that of the whole process.
 */
@NullMarked
package io.kcp.bench;

import org.jspecify.annotations.NullMarked;
