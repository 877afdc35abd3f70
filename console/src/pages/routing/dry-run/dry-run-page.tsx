import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { asProblem } from '../../../api/problem';
import { refreshAgentNames, useAgentNames } from '../../../ui/agent-names';
import { Empty, ErrorView } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { RoutingFrame } from '../routing-frame';
import { dryRun } from './dry-run';
import { DryRunForm } from './dry-run-form';
import { EXAMPLE_JSON, type MessageDraft, requestOf } from './message-draft';
import { RouteView } from './route-view';
import { takenMessage } from '../../../api/taken-message';

const IN_ADDRESS = ['agent', 'skill', 'tags', 'organization'] as const;

export function DryRunPage() {
  const search = useSearch({ from: '/routing/dry-run' });
  const navigate = useNavigate({ from: '/routing/dry-run' });
  const [taken] = useState(takenMessage);
  const [draft, setDraft] = useState<MessageDraft>(() => ({
    kind: 'text',
    text: '',
    json: EXAMPLE_JSON,
    strategy: 'one',
    modes: '',
    scopes: '',
    agent: '',
    skill: '',
    tags: '',
    organization: '',
    ...taken,
    ...search,
  }));
  const [fault, setFault] = useState<string | null>(null);
  const run = useMutation({
    mutationFn: async (from: MessageDraft) => {
      const request = requestOf(from);
      const [answer] = await Promise.all([dryRun(request), refreshAgentNames()]);
      return { request, answer };
    },
  });
  const change = (changed: Partial<MessageDraft>) => {
    const next = { ...draft, ...changed };
    setDraft(next);
    setFault(next.kind === 'json' ? faultOf(next.json) : null);
    if (IN_ADDRESS.some((name) => name in changed)) {
      const named = IN_ADDRESS.filter((name) => next[name] !== '');
      const values = Object.fromEntries(named.map((name) => [name, next[name]]));
      void navigate({ search: values, replace: true });
    }
  };
  const { meantBy } = useAgentNames();
  const { mutate } = run;
  const tryNow = () => fault === null && mutate({ ...draft, agent: meantBy(draft.agent) });
  useEffect(() => {
    // Who brought a message along wants to know who would get it.
    if (taken.kind === 'json' || taken.text?.trim()) tryNow();
    // oxlint-disable-next-line react/exhaustive-deps
  }, [taken]);
  const problems = run.error ? asProblem(run.error).violations : [];
  return (
    <RoutingFrame lead="Who would get a message, and why: without sending it.">
      <div className="routing-editor">
        <DryRunForm
          draft={draft}
          problems={problems}
          fault={fault}
          busy={run.isPending}
          onChange={change}
          onRun={tryNow}
        />
        <div className="routing-answer" aria-live="polite">
          {run.error && <ErrorView error={run.error} />}
          {run.data ? (
            <RouteView {...run.data} />
          ) : (
            !run.error && (
              <Card>
                <Empty title="Nothing tried yet">
                  <p>
                    Write or paste a message. The answer shows who is chosen and by what, each agent
                    that is passed over, and what becomes of every rule.
                  </p>
                </Empty>
              </Card>
            )
          )}
        </div>
      </div>
    </RoutingFrame>
  );
}

function faultOf(json: string): string | null {
  try {
    JSON.parse(json);
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
