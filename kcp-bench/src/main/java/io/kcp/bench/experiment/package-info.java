/**
 * Experiments on one runner. An {@link io.kcp.bench.experiment.Experiment} defines {@linkplain io.kcp.bench.experiment.Cell cells}, each of
 * which measures one setting and returns metrics. The {@link io.kcp.bench.experiment.Runner} measures all cells in rounds, in shuffled
 * order. {@link io.kcp.bench.Experiments} is the command.
 */
@NullMarked
package io.kcp.bench.experiment;

import org.jspecify.annotations.NullMarked;
