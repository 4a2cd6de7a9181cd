/** The entry point of the metrics. */
export { type Family, GaugeFamily, type GaugeReading, type GaugeReadings } from './family.ts';
export { NodeMetrics } from './node-metrics.ts';
export { ProcessMetrics } from './process-metrics.ts';
