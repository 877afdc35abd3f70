import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { Badge } from '../../../ui/badge';
import { exclusionNotes, nonePassedOver } from '../../../ui/exclusions';
import { Notice } from '../../../ui/feedback';
import { Facts } from '../../../ui/page';
import { durationText } from '../../../ui/time';
import { CandidateTable } from './candidate-table';
import { compositePlace, rulePlace } from './places';

type Route = Schema<'RouteDto'>;

const DECIDED: Readonly<Record<Route['reason'], string>> = {
  agent: 'The client named the agent',
  skill: 'The client named the skill',
  tags: 'The tags that the client asked for',
  affinity: 'The conversation goes on with the same agent',
  rule: 'A routing rule',
  text: 'The text of the message',
  default: 'The default agent: nothing else decided',
};

const STRATEGIES: Readonly<Record<Route['strategy'], string>> = {
  one: 'one agent, with others to take over',
  all: 'all of them at once',
  first: 'all of them, the first to complete wins',
  chain: 'one after the other',
  synthesize: 'all of them, then one makes the result',
  plan: 'the steps of a composite skill',
};

/** Why these agents: what decided, who was chosen, and who was passed over. */
export function RouteTab({
  route,
  hops,
}: {
  readonly route: Route;
  readonly hops: readonly string[];
}) {
  const { excluded = [] } = route;
  const notes = exclusionNotes(route);
  return (
    <div className="tasks-route">
      <Facts
        facts={{
          'Decided by': DECIDED[route.reason],
          Rule: route.rule && (
            <ToRouting to={rulePlace(route.rule.id)}>{route.rule.name}</ToRouting>
          ),
          'Composite skill': route.composite && (
            <ToRouting to={compositePlace(route.composite.id)}>
              {route.composite.id}, version {route.composite.version}
            </ToRouting>
          ),
          Strategy: STRATEGIES[route.strategy],
          Needs:
            route.strategy === 'one'
              ? null
              : route.require === 'quorum'
                ? `${route.quorum} to complete`
                : `${route.require} to complete`,
          Deadline: route.deadlineMs === undefined ? null : durationText(route.deadlineMs),
          'Most calls': route.maxCalls,
          'Came through': hops.length > 0 ? hops.join(' → ') : null,
        }}
      />
      {route.passedRules && route.passedRules.length > 0 && (
        <Notice tone="warning">
          <p>
            <strong>Rules that applied and were passed over</strong>, since none of their agents
            could be used:
          </p>
          <ul>
            {route.passedRules.map(({ id, name, why }) => (
              <li key={id}>
                <ToRouting to={rulePlace(id)}>{name}</ToRouting>: {why}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {route.plan ? (
        route.plan.map((step) => <Step key={step.name} step={step} />)
      ) : (
        <CandidateTable title="Chosen" candidates={route.chosen} />
      )}
      {route.leftOut && route.leftOut.length > 0 && (
        <section>
          <h3>Steps left out</h3>
          <ul>
            {route.leftOut.map(({ step, why }) => (
              <li key={step}>
                <strong>{step}</strong>: {why}
              </li>
            ))}
          </ul>
        </section>
      )}
      {route.skipped.length > 0 ? (
        <CandidateTable title="Passed over" candidates={route.skipped} more={route.moreSkipped} />
      ) : (
        <p className="faint">{nonePassedOver(route)}</p>
      )}
      {excluded.length + notes.length > 0 && (
        <CandidateTable
          title="Not open to the caller"
          candidates={excluded}
          more={route.moreExcluded}
          notes={notes}
        />
      )}
    </div>
  );
}

/** A link to where routing is managed, for those who may. */
function ToRouting({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return useMay('routing') ? <Link to={to}>{children}</Link> : children;
}

function Step({ step }: { readonly step: Schema<'RouteStepDto'> }) {
  return (
    <section className="tasks-step">
      <h3>
        Step {step.name} {step.isResult && <Badge tone="info">result</Badge>}{' '}
        {step.isOptional && <Badge>optional</Badge>}
      </h3>
      <p className="faint">
        {step.after.length === 0
          ? 'Begins at once'
          : `Begins after ${step.after.map(({ step: name, outcome }) => `${name} has ${outcome}`).join(' and ')}`}
        {step.inputs.length > 0 &&
          `; gets ${step.inputs.map((input) => (input.from === 'message' ? 'the message' : `the artifacts of ${input.step}`)).join(' and ')}`}
        .
      </p>
      <CandidateTable title={`Chosen for ${step.name}`} candidates={step.chosen} />
    </section>
  );
}
