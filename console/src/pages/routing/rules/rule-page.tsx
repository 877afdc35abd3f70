import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, client } from '../../../api/client';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { Id } from '../../../ui/copy';
import { Loaded, Notice } from '../../../ui/feedback';
import { JsonTree } from '../../../ui/json-tree';
import { Card } from '../../../ui/page';
import { PageLink } from '../../../ui/page-link';
import { Tabs } from '../../../ui/tabs';
import { Time } from '../../../ui/time';
import type { Saved } from '../../../ui/save-fault';
import { notify } from '../../../ui/toast';
import { RoutingFrame } from '../routing-frame';
import { WithVersion } from '../versions/with-version';
import { DeleteRule } from './delete-rule';
import { type RuleDraft, writtenOf } from './rule-draft';
import { RuleEditor } from './rule-editor';
import { RuleVersions, useRuleVersion } from './rule-versions';
import type { Rule } from '../../../api/rules';
import { rulesChanged } from './change-rules';

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
  const { tab = 'rule', version: taken } = useSearch({ from: '/routing/rules/$ruleId' });
  const navigate = useNavigate({ from: '/routing/rules/$ruleId' });
  const [deleting, setDeleting] = useState(false);
  const { id, name, position, problem, source, updatedAt, version } = rule;
  const isDeclared = source === 'config';
  return (
    <RoutingFrame
      title={name}
      lead={
        <>
          No. {position} of the rules, <Id value={id} />, version {version}
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
      <Tabs
        label={name}
        value={tab}
        onChange={(next) => void navigate({ search: next === 'rule' ? {} : { tab: next } })}
        tabs={[
          {
            id: 'rule',
            label: 'Rule',
            content: isDeclared ? (
              <Card title="Declared in the configuration file">
                <p className="faint">
                  It is changed there; the hub takes it from the file within seconds.
                </p>
                <JsonTree label="The rule" value={rule} />
              </Card>
            ) : (
              <Edit key={taken} rule={rule} taken={taken} onDelete={() => setDeleting(true)} />
            ),
          },
          { id: 'versions', label: 'Versions', content: <RuleVersions rule={rule} /> },
        ]}
      />
      <DeleteRule
        rule={deleting ? rule : null}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: '/routing/rules' })}
      />
    </RoutingFrame>
  );
}

function savedOf(rule: Rule): Saved<RuleDraft> {
  return { version: rule.version, written: { ...writtenOf(rule), position: rule.position } };
}

/** A rule that was not moved by whoever wrote it stays where others have brought it. */
function placedAs(draft: RuleDraft, saved: RuleDraft, writtenFrom: RuleDraft): RuleDraft {
  return draft.position === writtenFrom.position ? { ...draft, position: saved.position! } : draft;
}

/** Changes the version that it was begun with: another change meanwhile is not undone, but refused with ways on. */
function Edit({
  rule,
  taken,
  onDelete,
}: {
  readonly rule: Rule;
  /** The version that is taken into the editor; none: the present one. */
  readonly taken: number | undefined;
  readonly onDelete: () => void;
}) {
  const navigate = useNavigate();
  const [from] = useState(() => savedOf(rule));
  const { id } = rule;
  const old = useRuleVersion(id, taken ?? from.version, taken !== undefined);
  const read = async () => {
    const { data } = await client.GET('/api/v1/routes/rules/{id}', { params: { path: { id } } });
    return savedOf(data!);
  };
  const save = async (draft: RuleDraft, over = from, writtenFrom = from) => {
    const { data } = await client.PATCH('/api/v1/routes/rules/{id}', {
      params: { path: { id }, header: { 'If-Match': `"${over.version}"` } },
      body: {
        ...draft,
        id: undefined,
        // Where it has come to meanwhile it stays, unless it is to be moved.
        position: draft.position === writtenFrom.written.position ? undefined : draft.position,
        conditions: draft.conditions ?? {},
      } as never,
    });
    await rulesChanged();
    notify(`“${data?.name}” is saved and counts from the next message on.`);
    await navigate({ to: '/routing/rules' });
  };
  return (
    <WithVersion
      version={taken}
      query={old}
      editor={(saved) => (
        <RuleEditor
          begun={{ from, read, over: placedAs }}
          taken={saved && { ...from.written, ...writtenOf(saved) }}
          replaces={id}
          action="Save"
          actions={
            <Button small kind="danger" onClick={onDelete}>
              Delete
            </Button>
          }
          onSave={save}
        />
      )}
    />
  );
}
