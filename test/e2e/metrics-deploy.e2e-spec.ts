import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { withMetricsTable } from '../../src/observability/document-metrics.js';
import { type MetricDescription, Metrics } from '../../src/observability/metrics.js';
import { startHub, type Hub } from '../support/app.js';
import { spokenOf } from '../support/prom-expressions.js';

/** What Prometheus itself adds. */
const TARGET_LABELS = ['instance', 'job'];
const UP: MetricDescription = { name: 'up', type: 'gauge', help: '', labels: [] };

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const read = (path: string): string => readFileSync(path, 'utf8');
const dashboard = JSON.parse(read('deploy/grafana/a2a-hub.json')) as {
  readonly panels: readonly Panel[];
};
const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

let described: readonly MetricDescription[];
let known: Map<string, MetricDescription>;
let hub: Hub;
beforeAll(async () => {
  hub = await startHub({
    config: {
      auth: {
        issuers: [
          { issuer: 'http://127.0.0.1:9', audiences: ['hub'], organization: 'acme', id: 'i' },
        ] as never,
      },
    },
  });
  described = hub.app.get(Metrics).describe();
  known = new Map([UP, ...described].map((each) => [each.name, each]));
});
afterAll(() => hub.close());

/** The metric that a series is of, and the labels that the series has. */
function seriesOf(name: string): { readonly labels: readonly string[] } | undefined {
  const exact = known.get(name);
  if (exact !== undefined && exact.type !== 'histogram') return exact;
  const [, base, part] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
  const histogram = base === undefined ? undefined : known.get(base);
  if (histogram?.type !== 'histogram') return undefined;
  return { labels: part === 'bucket' ? [...histogram.labels, 'le'] : histogram.labels };
}

/** What of an expression the hub does not have; `shown`: labels that are used of its result. */
function faultsOf(expression: string, shown: readonly string[] = []): string[] {
  const filled = expression.replaceAll('$__rate_interval', '5m');
  const { selectors, groupings } = spokenOf(filled);
  const faults: string[] = [];
  const labels = new Set(TARGET_LABELS);
  for (const selector of selectors) {
    const series = seriesOf(selector.metric);
    if (series === undefined) faults.push(`no series ${selector.metric}`);
    for (const label of series?.labels ?? []) labels.add(label);
    for (const label of selector.labels) {
      if (![...TARGET_LABELS, ...(series?.labels ?? [])].includes(label))
        faults.push(`${selector.metric} has no label ${label}`);
    }
  }
  for (const label of [...groupings, ...shown]) {
    if (!labels.has(label)) faults.push(`no series has the label ${label}`);
  }
  if (selectors.length === 0) faults.push('no series');
  return faults;
}

const labelsIn = (text: string, form: RegExp): string[] =>
  [...text.matchAll(form)].map(([, label]) => label!);

describe('the dashboard', () => {
  it('asks for series that the hub has, with their labels', () => {
    const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
    expect(targets.length).toBeGreaterThan(50);
    const faults = targets.flatMap(({ expr, legendFormat }) =>
      faultsOf(expr, labelsIn(legendFormat, /\{\{(\w+)\}\}/g)).map((fault) => `${expr}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it('has its rows', () => {
    const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(rows).toEqual([
      'Overview',
      'Clients',
      'Agents',
      'Tasks',
      'Webhooks',
      'Database & process',
      'Limits',
    ]);
  });
});

describe('the alerts', () => {
  it('ask for series that the hub has, with their labels', () => {
    const faults = rules.flatMap(({ alert, expr, annotations }) => {
      const shown = labelsIn(
        annotations.summary + annotations.description,
        /\{\{ \$labels\.(\w+) \}\}/g,
      );
      return faultsOf(expr, shown).map((fault) => `${alert}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });

  it('each wait a while, have a severity and say what to do', () => {
    for (const { for: waits, labels, annotations } of rules) {
      expect(waits).toMatch(/^\d+[mh]$/);
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
      expect(annotations.description.length).toBeGreaterThan(40);
    }
  });

  it('each have a test that they fire and one that they do not', () => {
    const tests = read('deploy/prometheus/alerts.test.yaml');
    for (const { alert } of rules) {
      expect(tests).toContain(`# ${alert} fires\n`);
      expect(tests).toContain(`# ${alert} does not fire\n`);
    }
  });

  it('name routes of the API that there are', () => {
    const paths = Object.keys((JSON.parse(read('docs/openapi.json')) as { paths: object }).paths);
    const forms = new Set(paths.map((path) => path.replace(/\{\w+\}/g, '{}')));
    const named = rules.flatMap(({ annotations: { description } }) =>
      [...description.replace(/\{\{[^}]*\}\}/g, '{id}').matchAll(/\/api\/v1\/[\w\-/:{}]+/g)].map(
        ([path]) => path.replace(/\{\w+\}/g, '{}'),
      ),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((path) => !forms.has(path))).toEqual([]);
  });
});

it('every metric is in docs/telemetry.md', () => {
  const page = read('docs/telemetry.md');
  expect(withMetricsTable(page, described)).toBe(page);
});

it('a name or label that the hub does not have is found', () => {
  expect(faultsOf('sum by (agent) (a2a_hub_tasks_open{nope="1"})')).toEqual([
    'a2a_hub_tasks_open has no label nope',
    'no series has the label agent',
  ]);
  expect(faultsOf('rate(a2a_hub_no_such_total[5m])')).toEqual(['no series a2a_hub_no_such_total']);
});
