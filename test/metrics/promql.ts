/**
 * Evaluates the part of PromQL that our dashboard uses, on two scrapes of one node. The grammar is Prometheus' own
 * (`@prometheus-io/lezer-promql`). The functions follow Prometheus' documentation. A range is the time between the
 * two scrapes.
 */
import { parser } from '@prometheus-io/lezer-promql';
import type { Sample, Scrape } from './exposition.ts';

/** Two scrapes, and the number of seconds between them. */
export interface Recording {
  readonly before: Scrape;
  readonly after: Scrape;
  readonly seconds: number;
}

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];
type Vector = readonly Omit<Sample, 'name'>[];

/** Names of all series that a query uses. @throws Error if it is not PromQL */
export function seriesIn(query: string): string[] {
  const names: string[] = [];
  parser.parse(query).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${query}`);
      if (type.name === 'Identifier') names.push(query.slice(from, to));
    },
  });
  return names;
}

/** The result of a query. @throws Error for syntax that is not supported here */
export function evaluate(query: string, recording: Recording): Vector | number {
  seriesIn(query);
  return new Evaluation(query, recording).of(parser.parse(query).topNode.firstChild!);
}

class Evaluation {
  readonly #query: string;
  readonly #recording: Recording;

  constructor(query: string, recording: Recording) {
    this.#query = query;
    this.#recording = recording;
  }

  of(node: SyntaxNode): Vector | number {
    switch (node.name) {
      case 'ParenExpr':
        return this.of(node.firstChild!);
      case 'NumberDurationLiteral':
        return Number(this.#text(node));
      case 'VectorSelector':
        return this.#select(node, this.#recording.after);
      case 'BinaryExpr':
        return this.#binary(node);
      case 'FunctionCall':
        return this.#call(node);
      case 'AggregateExpr':
        return this.#aggregate(node);
      default:
        throw new Error(`not supported: ${node.name} in ${this.#query}`);
    }
  }

  #text({ from, to }: SyntaxNode): string {
    return this.#query.slice(from, to);
  }

  #vector(node: SyntaxNode): Vector {
    const value = this.of(node);
    if (typeof value === 'number') throw new Error(`not a vector: ${this.#text(node)}`);
    return value;
  }

  #select(node: SyntaxNode, { samples }: Scrape): Vector {
    const name = this.#text(node.getChild('Identifier')!);
    const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
    const tests = matchers.map((matcher) => {
      const label = this.#text(matcher.getChild('LabelName')!);
      const value = this.#text(matcher.getChild('StringLiteral')!).slice(1, -1);
      const operator = this.#text(matcher.getChild('MatchOp')!);
      if (operator === '=') return (sample: Sample) => (sample.labels[label] ?? '') === value;
      if (operator !== '=~') throw new Error(`not supported: ${operator}`);
      const pattern = new RegExp(`^(?:${value})$`);
      return (sample: Sample) => pattern.test(sample.labels[label] ?? '');
    });
    return samples.filter((sample) => sample.name === name && tests.every((test) => test(sample)));
  }

  #call(node: SyntaxNode): Vector | number {
    const name = this.#text(node.getChild('FunctionIdentifier')!);
    const body = node.getChild('FunctionCallBody')!;
    const first = body.firstChild!.name === '(' ? body.firstChild!.nextSibling! : body.firstChild!;
    switch (name) {
      case 'rate':
        return this.#increase(first).map((one) => ({ ...one, value: one.value / this.#recording.seconds }));
      case 'increase':
        return this.#increase(first);
      case 'scalar': {
        const [only, ...others] = this.#vector(first);
        return only === undefined || others.length > 0 ? Number.NaN : only.value;
      }
      case 'histogram_quantile':
        return quantile(Number(this.#text(first)), this.#vector(body.lastChild!));
      default:
        throw new Error(`not supported: ${name}`);
    }
  }

  #increase(matrix: SyntaxNode): Vector {
    const selector = matrix.getChild('VectorSelector')!;
    const before = new Map(
      this.#select(selector, this.#recording.before).map(({ labels, value }) => [keyOf(labels), value]),
    );
    return this.#select(selector, this.#recording.after).map(({ labels, value }) => ({
      labels,
      value: value - before.get(keyOf(labels))!,
    }));
  }

  #aggregate(node: SyntaxNode): Vector {
    if (this.#text(node.getChild('AggregateOp')!) !== 'sum') throw new Error(this.#query);
    const grouping =
      node.getChild('AggregateModifier')?.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
    const names = grouping.map((label) => this.#text(label));
    const sums = new Map<string, { labels: Record<string, string>; value: number }>();
    for (const { labels, value } of this.#vector(node.getChild('FunctionCallBody')!.lastChild!)) {
      const kept = Object.fromEntries(
        names.flatMap((name) => (name in labels ? [[name, labels[name]!]] : [])),
      );
      const sum = sums.get(keyOf(kept)) ?? { labels: kept, value: 0 };
      sum.value += value;
      sums.set(keyOf(kept), sum);
    }
    return [...sums.values()];
  }

  #binary(node: SyntaxNode): Vector | number {
    const left = this.of(node.firstChild!);
    const right = this.of(node.lastChild!);
    const apply = OPERATORS[node.firstChild!.nextSibling!.name];
    if (apply === undefined) throw new Error(`not supported: ${node.firstChild!.nextSibling!.name}`);
    if (typeof left === 'number') {
      if (typeof right === 'number') return apply(left, right);
      return right.map(({ labels, value }) => ({ labels, value: apply(left, value) }));
    }
    if (typeof right === 'number') {
      return left.map(({ labels, value }) => ({ labels, value: apply(value, right) }));
    }
    const others = new Map(right.map(({ labels, value }) => [keyOf(labels), value]));
    return left.flatMap(({ labels, value }) => {
      const other = others.get(keyOf(labels));
      return other === undefined ? [] : [{ labels, value: apply(value, other) }];
    });
  }
}

const OPERATORS: Readonly<Record<string, (a: number, b: number) => number>> = {
  Div: (a, b) => a / b,
  Mul: (a, b) => a * b,
  Sub: (a, b) => a - b,
  Add: (a, b) => a + b,
};

const keyOf = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Prometheus' estimate: linear within the bucket. In the last bucket, the estimate is the bound of the previous
 * bucket.
 */
function quantile(q: number, vector: Vector): Vector {
  const groups = new Map<
    string,
    { labels: Record<string, string>; buckets: [le: number, count: number][] }
  >();
  for (const { labels, value } of vector) {
    const { le, ...rest } = labels;
    const group = groups.get(keyOf(rest)) ?? { labels: rest, buckets: [] };
    group.buckets.push([Number(le!.replace('Inf', 'Infinity')), value]);
    groups.set(keyOf(rest), group);
  }
  return [...groups.values()].map(({ labels, buckets }) => {
    buckets.sort(([a], [b]) => a - b);
    const rank = q * buckets.at(-1)![1];
    const index = buckets.findIndex(([, count]) => count >= rank);
    const [below, counted] = index === 0 ? [0, 0] : buckets[index - 1]!;
    const [bound, count] = buckets[index]!;
    const isLast = bound === Number.POSITIVE_INFINITY;
    return {
      labels,
      value: isLast ? below : below + ((bound - below) * (rank - counted)) / (count - counted),
    };
  });
}
