/** Result files of benchmarks, and the tables and charts of the documentation, which are generated from these files. */
@NullMarked
package io.kcp.bench.results;

import org.jspecify.annotations.NullMarked;
