import { parser } from '@prometheus-io/lezer-promql';

/** A selector of an expression: the metric, and the labels its matchers name. */
interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** What an expression of PromQL speaks of. */
export interface Spoken {
  readonly selectors: readonly Selector[];
  /** The labels of its `by`, `on` and `ignoring`. */
  readonly groupings: readonly string[];
}

/** Throws when it cannot be parsed. */
export function spokenOf(expression: string): Spoken {
  const selectors: { metric: string; labels: string[] }[] = [];
  const groupings: string[] = [];
  let isInGrouping = false;
  parser.parse(expression).iterate({
    enter: ({ name, from, to, type }) => {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`${expression}: cannot be parsed at ${from}`);
      if (name === 'VectorSelector') selectors.push({ metric: '', labels: [] });
      if (name === 'GroupingLabels') isInGrouping = true;
      if (name === 'Identifier') selectors.at(-1)!.metric = text;
      if (name !== 'LabelName') return;
      if (isInGrouping) groupings.push(text);
      else selectors.at(-1)!.labels.push(text);
    },
    leave: ({ name }) => {
      if (name === 'GroupingLabels') isInGrouping = false;
    },
  });
  return { selectors, groupings };
}
