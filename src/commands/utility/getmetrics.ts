/** `getmetrics`: shows all metrics in Prometheus format. */
import { field } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';

/** Not in Core Lightning. Returns the same text as `/metrics` over HTTP. */
export const getmetrics = defineCommand({
  name: 'getmetrics',
  summary: 'Show the metrics of this node.',
  description:
    'Shows counters, gauges and histograms in the text format of Prometheus (0.0.4): requests, route ' +
    'searches, payments and their attempts, calibration of predicted probabilities, graph, layers, ' +
    'database, process. Labels never identify a channel, a payment, or a node other than ours. `docs/metrics.md` describes the ' +
    'metrics, a Grafana dashboard and alerts.',
  category: 'utility',
  readOnly: true,
  params: {},
  result: {
    content_type: field('string', 'Media type of the text.'),
    metrics: field('string', 'The text.'),
  },
  async handler(_params, { metricsText }) {
    return { content_type: 'text/plain; version=0.0.4; charset=utf-8', metrics: await metricsText() };
  },
});
