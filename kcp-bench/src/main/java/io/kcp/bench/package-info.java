/**
 * Benchmarks, none of them part of the library. {@code mvn -q -Pbench -pl kcp-bench -am package -DskipTests} builds
 * {@code kcp-bench/target/benchmarks.jar}; {@code java -jar} on it runs the JMH benchmarks, {@code java -cp} and a class name
 * one of the programs:
 *
 * <ul>
 * <li>{@link io.kcp.bench.IdleSessions}: what sessions cost that do nothing;</li>
 * <li>{@link io.kcp.bench.KcpLoad}: both ends of a transfer, each in a process of its own;</li>
 * <li>{@link io.kcp.bench.CompareWithKcpGo}: transfers of ours and of kcp-go by turns.</li>
 * </ul>
 *
 * <p>Programs print one JSON object a line. MB is 10<sup>6</sup> bytes, and CPU time is that of the whole process.
 */
@NullMarked
package io.kcp.bench;

import org.jspecify.annotations.NullMarked;
