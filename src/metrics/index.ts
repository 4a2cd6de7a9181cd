/** The entry point of the room of metrics. */
export { type Family, GaugeFamily, type Reading, type Readings } from './family.ts';
export { NodeMetrics } from './node-metrics.ts';
