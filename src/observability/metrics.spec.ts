import { expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';

it('renders histograms under the name of the hub', async () => {
  const metrics = new Metrics();
  metrics.histogram('wait_seconds', 'Waits.', [], [1, 5]).observe(2);
  const { body, contentType } = await metrics.render();
  expect(contentType).toContain('text/plain');
  expect(body).toContain('a2a_hub_wait_seconds_bucket{le="5"} 1');
  metrics.close();
});

it('keeps the numbers of two hubs in one process apart', async () => {
  const [one, two] = [new Metrics(), new Metrics()];
  one.histogram('wait_seconds', 'Waits.', [], [1]).observe(2);
  two.histogram('wait_seconds', 'Waits.', [], [1]);
  expect((await one.render()).body).toContain('a2a_hub_wait_seconds_count 1');
  expect((await two.render()).body).toContain('a2a_hub_wait_seconds_count 0');
  one.close();
  two.close();
});
