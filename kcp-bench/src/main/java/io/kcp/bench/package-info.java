/**
 * Benchmarks and load-test programs, which are not part of the library. {@code mvn -q -Pbench -pl kcp-bench -am package -DskipTests}
 * builds {@code kcp-bench/target/benchmarks.jar}. {@code java -jar} runs the JMH benchmarks, and {@code java -cp} with a class name runs
 * one of these programs:
 *
 * <ul>
 * <li>{@link io.kcp.bench.KcpLoad} load-tests a server; client and server are separate processes. Its workloads are those of
 * {@link io.kcp.bench.rig}.</li>
 * <li>{@link io.kcp.bench.Experiments} compares this library with other implementations, other protocols and earlier commits.</li>
 * <li>{@link io.kcp.bench.results.Tables} generates the tables and charts of the documentation from result files.</li>
 * <li>{@link io.kcp.bench.MonteCarlo} simulates messages and transfers at many loss rates.</li>
 * <li>{@link io.kcp.bench.Soak} opens and closes sessions under attack for a long time, and checks that nothing leaks.</li>
 * </ul>
 *
 * <p>1 MB is 10<sup>6</sup> bytes, and CPU time is that of a whole process.
 */
@NullMarked
package io.kcp.bench;

import org.jspecify.annotations.NullMarked;
