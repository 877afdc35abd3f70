import type { MetricDescription } from './reading.js';

const BEGIN = '<!-- metrics: written by `npm run docs` -->';
const END = '<!-- end of metrics -->';

/** The page with its table of all metrics written anew. */
export function withMetricsTable(page: string, metrics: readonly MetricDescription[]): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`the page lacks ${BEGIN}`);
  return `${before}${BEGIN}\n\n${tableOf(metrics)}\n\n${END}${after}`;
}

function tableOf(metrics: readonly MetricDescription[]): string {
  const rows = metrics.map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  const all = [['metric', 'type', 'labels', 'shows'], ...rows];
  const widths = all[0]!.map((_, i) => Math.max(...all.map((row) => row[i]!.length)));
  const line = (cells: readonly string[], fill = ' '): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i]!, fill)).join(' | ')} |`;
  const [head, ...others] = all;
  return [
    line(head!),
    line(
      widths.map(() => ''),
      '-',
    ),
    ...others.map((row) => line(row)),
  ].join('\n');
}
