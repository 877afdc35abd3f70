import { expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';

it('renders counters, gauges and histograms under the name of the hub', async () => {
  const metrics = new Metrics();
  let open = 3;
  metrics.counter('things_total', 'Things.', ['kind']).inc({ kind: 'a' }, 2);
  metrics.gauge('open', 'Open things.', () => open);
  metrics.histogram('wait_seconds', 'Waits.', [], [1, 5]).observe(2);
  open = 4;
  const { body, contentType } = await metrics.render();
  expect(contentType).toContain('text/plain');
  expect(body).toContain('a2a_hub_things_total{kind="a"} 2');
  expect(body).toContain('a2a_hub_open 4');
  expect(body).toContain('a2a_hub_wait_seconds_bucket{le="5"} 1');
  metrics.close();
});

it('keeps the numbers of two hubs in one process apart', async () => {
  const [one, two] = [new Metrics(), new Metrics()];
  one.counter('things_total', 'Things.').inc();
  two.counter('things_total', 'Things.');
  expect((await one.render()).body).toContain('a2a_hub_things_total 1');
  expect((await two.render()).body).toContain('a2a_hub_things_total 0');
  one.close();
  two.close();
});
