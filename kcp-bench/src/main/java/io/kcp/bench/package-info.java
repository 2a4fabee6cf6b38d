/**
 * Benchmarks and load-test programs, which are not part of the library. {@code mvn -q -Pbench -pl kcp-bench -am package -DskipTests}
 * builds {@code kcp-bench/target/benchmarks.jar}. {@code java -jar} runs the JMH benchmarks, and {@code java -cp} with a class name runs
 * one of these programs:
 *
 * <ul>
 * <li>{@link io.kcp.bench.KcpLoad} load-tests a server; client and server are separate processes.</li>
 * <li>{@link io.kcp.bench.SideBySide} compares this library with kcp-go and others.</li>
 * <li>{@link io.kcp.bench.LossyLink} measures delay and goodput over a link with delay and loss.</li>
 * <li>{@link io.kcp.bench.LinkComparison} compares the congestion control with that of TCP, QUIC and kcp-go over such a link.</li>
 * <li>{@link io.kcp.bench.Report} creates a page from the results of SideBySide and LossyLink; {@code kcp-bench/report.sh} runs all three
 * programs.</li>
 * <li>{@link io.kcp.bench.PairedComparison} compares this build with an earlier one.</li>
 * <li>{@link io.kcp.bench.WarmUp} measures how long a new server needs until it has its full throughput.</li>
 * <li>{@link io.kcp.bench.Attack} measures how well servers withstand hostile traffic.</li>
 * <li>{@link io.kcp.bench.Overload} measures how servers recover from overload.</li>
 * <li>{@link io.kcp.bench.TunnelComparison} compares the tunnel of {@code kcp-examples} with kcptun.</li>
 * <li>{@link io.kcp.bench.MonteCarlo} simulates messages and transfers at many loss rates.</li>
 * <li>{@link io.kcp.bench.Soak} opens and closes sessions under attack for a long time, and checks that nothing leaks.</li>
 * <li>{@link io.kcp.bench.CompareCodecsWithKcpGo} compares ciphers and Reed–Solomon with kcp-go.</li>
 * </ul>
 *
 * <p>1 MB is 10<sup>6</sup> bytes, and CPU time is that of a whole process.
 */
@NullMarked
package io.kcp.bench;

import org.jspecify.annotations.NullMarked;
