import { useQueries } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { useMay, useMe } from '../../../api/me';
import { useTargets } from '../../../api/targets';
import { useAgentNames } from '../../../ui/agent-names';
import { Badge } from '../../../ui/badge';
import { ErrorView, Loading } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import type { DryRunAnswer, DryRunRequest } from './dry-run';

type Decision = Schema<'PolicyDecisionDto'>;

interface Asked {
  readonly agentId: string;
  readonly skillId?: string | undefined;
}

/** Of more agents than this, only those that came into question are asked about. */
const MOST = 20;
const FRESH_MS = 10_000;

/**
 * What the policies say of the agents for the caller of a dry run. Whom they forbid is no candidate, and so stands
 * nowhere else in its answer.
 */
export function PolicyDecisions({
  request,
  answer,
}: {
  readonly request: DryRunRequest;
  readonly answer: DryRunAnswer;
}) {
  const mayAsk = useMay('access');
  const me = useMe().data;
  const { agents } = useTargets();
  const { caller } = request;
  const own = me && { id: me.id, organization: me.organization, groups: me.groups };
  const { isMissing } = useAgentNames();
  // Policies decide of what is not there, too, which says nothing.
  const asked = mayAsk
    ? askedOf(request, answer, agents).filter(({ agentId }) => !isMissing(agentId))
    : [];
  const decisions = useQueries({
    queries: asked.map(({ agentId, skillId }) => ({
      queryKey: ['policy-decision', caller ?? own, agentId, skillId],
      queryFn: () =>
        decide({ agentId, skillId }, { ...(caller?.organization ? {} : own), ...caller }),
      staleTime: FRESH_MS,
    })),
  });
  if (asked.length === 0) return null;
  const error = decisions.find((each) => each.error)?.error;
  const known = asked.flatMap((each, index) => {
    const decision = decisions[index]?.data;
    return decision ? [{ ...each, decision }] : [];
  });
  const denied = known.filter(({ decision }) => decision.decision === 'deny');
  const allowed = known.filter(({ decision }) => decision.decision === 'allow');
  return (
    <Card title="Policies" flush>
      {error ? <ErrorView error={error} /> : null}
      {known.length < asked.length && !error && (
        <div className="card-body">
          <Loading what="Asking the policies …" />
        </div>
      )}
      <ul className="routing-candidates" aria-label="What the policies say">
        {[...denied, ...allowed].map(({ agentId, skillId, decision }) => (
          <li key={`${agentId} ${skillId}`}>
            <div>
              <p>
                <strong>{agentId}</strong> {skillId && <span className="faint">{skillId}</span>}
              </p>
              <p className="faint">{decision.why}</p>
            </div>
            <Badge tone={decision.decision === 'deny' ? 'bad' : 'good'}>
              {decision.decision === 'deny' ? 'denied' : 'allowed'}
            </Badge>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function askedOf(
  { agentId, skillId }: DryRunRequest,
  { route }: DryRunAnswer,
  agents: readonly string[],
): readonly Asked[] {
  const dot = skillId?.indexOf('.') ?? -1;
  const candidates: readonly Asked[] = [
    ...(agentId ? [{ agentId }] : []),
    ...(skillId && dot > 0
      ? [{ agentId: skillId.slice(0, dot), skillId: skillId.slice(dot + 1) }]
      : []),
    ...(route?.chosen ?? []),
    ...(route?.skipped ?? []),
  ];
  const unique = new Map<string, Asked>();
  for (const each of candidates) unique.set(`${each.agentId} ${each.skillId ?? ''}`, each);
  const seen = new Set(candidates.map((each) => each.agentId));
  const others = agents.filter((agent) => !seen.has(agent)).map((agent) => ({ agentId: agent }));
  const all = [...unique.values(), ...others];
  return all.length <= MOST ? all : [...unique.values()].slice(0, MOST);
}

async function decide(
  { agentId, skillId }: Asked,
  caller: Partial<Schema<'PolicyCallerDto'>>,
): Promise<Decision> {
  const { data } = await client.POST('/api/v1/policies:dry-run', {
    body: { operation: 'SendMessage', agentId, ...(skillId && { skillId }), caller },
  });
  return data!;
}
