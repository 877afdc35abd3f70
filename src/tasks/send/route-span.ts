import { hubErrorOf } from '../../common/hub-error.js';
import type { Span, Tracing } from '../../common/tracing/tracing.js';
import { ATTR, SPAN } from '../../observability/tracing/span-names.js';
import type { HubRequest, Route } from '../../routing/index.js';

/** Agents that a span names. */
const NAMED_AGENTS = 16;

/** The choice of a route, with a span of its own. */
export async function tracedRoute(
  tracing: Pick<Tracing, 'isOn' | 'begin'>,
  { traceparent }: Pick<HubRequest, 'traceparent'>,
  choose: () => Promise<Route>,
): Promise<Route> {
  const span = tracing.isOn ? tracing.begin(traceparent, SPAN.ROUTE, 'internal') : undefined;
  if (span === undefined) return choose();
  try {
    const route = await choose();
    describe(span, route);
    span.end();
    return route;
  } catch (error) {
    span.end(hubErrorOf(error).reason);
    throw error;
  }
}

function describe(span: Span, { reason, strategy, chosen, skipped, rule }: Route): void {
  span.set(ATTR.ROUTE_REASON, reason);
  span.set(ATTR.ROUTE_STRATEGY, strategy);
  span.set(ATTR.ROUTE_RULE, rule?.id);
  span.set(
    ATTR.ROUTE_AGENTS,
    chosen.slice(0, NAMED_AGENTS).map(({ agentId }) => agentId),
  );
  span.set(ATTR.ROUTE_SKIPPED, skipped.length);
}
