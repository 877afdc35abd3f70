import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, client, queries } from '../../../api/client';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { Id } from '../../../ui/copy';
import { Loaded, Notice } from '../../../ui/feedback';
import { JsonTree } from '../../../ui/json-tree';
import { Card } from '../../../ui/page';
import { PageLink } from '../../../ui/page-link';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { RoutingFrame } from '../routing-frame';
import { DeleteRule } from './delete-rule';
import type { RuleDraft } from './rule-draft';
import { RuleEditor } from './rule-editor';
import { type Rule, rulesChanged } from './use-rules';

export function RulePage() {
  const { ruleId } = useParams({ from: '/routing/rules/$ruleId' });
  const rule = api.useQuery(
    'get',
    '/api/v1/routes/rules/{id}',
    { params: { path: { id: ruleId } } },
    // What is being changed is not replaced under the hands.
    { staleTime: Infinity, refetchOnMount: 'always', gcTime: 0 },
  );
  return <Loaded query={rule}>{(loaded) => <OneRule key={ruleId} rule={loaded} />}</Loaded>;
}

function OneRule({ rule }: { readonly rule: Rule }) {
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const { id, name, position, problem, source, updatedAt } = rule;
  const save = async (draft: RuleDraft) => {
    const { data } = await client.PATCH('/api/v1/routes/rules/{id}', {
      params: { path: { id } },
      body: {
        ...draft,
        id: undefined,
        // Where it has come to meanwhile it stays, unless it is to be moved.
        position: draft.position === position ? undefined : draft.position,
        conditions: draft.conditions ?? {},
      } as never,
    });
    await Promise.all([
      rulesChanged(),
      queries.invalidateQueries({ queryKey: ['get', '/api/v1/routes/rules/{id}'] }),
    ]);
    notify(`“${data?.name}” is saved and counts from the next message on.`);
    await navigate({ to: '/routing/rules' });
  };
  return (
    <RoutingFrame
      title={name}
      lead={
        <>
          No. {position} of the rules, <Id value={id} />
          {updatedAt && (
            <>
              , changed <Time at={updatedAt} />
            </>
          )}
          ;{' '}
          <PageLink to="/tasks" search={{ rule: id }}>
            its tasks
          </PageLink>
        </>
      }
    >
      {problem && (
        <Notice tone="warning">
          <p>
            <Badge tone="warning">passed over</Badge> {problem}
          </p>
        </Notice>
      )}
      {source === 'config' ? (
        <Card title="Declared in the configuration file">
          <p className="faint">
            It is changed there; the hub takes it from the file within seconds.
          </p>
          <JsonTree label="The rule" value={rule} />
        </Card>
      ) : (
        <RuleEditor
          initial={draftOf(rule)}
          action="Save"
          actions={
            <Button small kind="danger" onClick={() => setDeleting(true)}>
              Delete
            </Button>
          }
          onSave={save}
        />
      )}
      <DeleteRule
        rule={deleting ? rule : null}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: '/routing/rules' })}
      />
    </RoutingFrame>
  );
}

function draftOf({ id, name, position, enabled, conditions, target }: Rule): RuleDraft {
  return { id, name, position, enabled, conditions, target };
}
