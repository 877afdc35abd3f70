import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, client, queries, type Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import { Badge } from '../../../ui/badge';
import { Id } from '../../../ui/copy';
import { Confirm } from '../../../ui/dialog';
import { Loaded, Notice } from '../../../ui/feedback';
import { Menu } from '../../../ui/menu';
import { Card, Facts } from '../../../ui/page';
import { Tabs } from '../../../ui/tabs';
import { Time } from '../../../ui/time';
import type { Saved } from '../../../ui/save-fault';
import { notify } from '../../../ui/toast';
import { PlanPicture } from '../picture/plan-picture';
import { stepsOfWritten } from '../picture/plan-steps';
import { RoutingFrame } from '../routing-frame';
import { WithVersion } from '../versions/with-version';
import { CompositeBadges } from './composite-badges';
import { type CompositeDraft, writtenOf } from './composite-draft';
import { CompositeEditor } from './composite-editor';
import { CompositeVersions, useCompositeVersion } from './composite-versions';

const READ_AGAIN_MS = 5_000;

export function CompositePage() {
  const { compositeId } = useParams({ from: '/routing/composite-skills/$compositeId' });
  const skill = api.useQuery(
    'get',
    '/api/v1/composite-skills/{id}',
    { params: { path: { id: compositeId } } },
    { refetchInterval: every(READ_AGAIN_MS) },
  );
  return <Loaded query={skill}>{(loaded) => <OneComposite skill={loaded} />}</Loaded>;
}

type Composite = Schema<'CompositeDto'>;

function OneComposite({ skill }: { readonly skill: Composite }) {
  const { tab = 'plan', version: taken } = useSearch({
    from: '/routing/composite-skills/$compositeId',
  });
  const navigate = useNavigate({ from: '/routing/composite-skills/$compositeId' });
  const [deleting, setDeleting] = useState(false);
  const { id, name, version, source } = skill;
  const isDeclared = source === 'config';
  const headers = { 'If-Match': `"${version}"` };
  const params = { path: { id }, header: headers };
  const remove = async () => {
    await client.DELETE('/api/v1/composite-skills/{id}', { params });
    notify(`“${name}” is deleted. Its versions can still be read.`);
    await navigate({ to: '/routing/composite-skills' });
    await compositesChanged();
  };
  const toggle = async () => {
    await changeComposite(skill, { enabled: !skill.enabled });
    notify(`“${name}” is ${skill.enabled ? 'disabled' : 'enabled'}.`);
  };
  return (
    <RoutingFrame
      title={name}
      lead={skill.description}
      actions={
        <>
          <CompositeBadges skill={skill} />
          {!isDeclared && (
            <Menu
              label={`Actions of ${name}`}
              items={[
                {
                  label: skill.enabled ? 'Disable' : 'Enable',
                  onSelect: () => void toggle().catch((thrown: Error) => notify(thrown.message)),
                },
                { label: 'Delete', danger: true, onSelect: () => setDeleting(true) },
              ]}
            />
          )}
        </>
      }
    >
      <Tabs
        label={name}
        value={tab}
        onChange={(next) => void navigate({ search: next === 'plan' ? {} : { tab: next } })}
        tabs={[
          { id: 'plan', label: 'Plan', content: <Plan skill={skill} /> },
          ...(isDeclared
            ? []
            : [
                {
                  id: 'edit',
                  label: 'Edit',
                  content: (
                    <Edit
                      key={taken}
                      skill={skill}
                      taken={taken}
                      onDone={() => void navigate({ search: {} })}
                    />
                  ),
                },
              ]),
          {
            id: 'versions',
            label: 'Versions',
            content: <CompositeVersions id={id} newest={version} isDeclared={isDeclared} />,
          },
        ]}
      />
      <Confirm
        title={`Delete “${name}”?`}
        action="Delete the composite skill"
        open={deleting}
        onClose={() => setDeleting(false)}
        onConfirm={remove}
      >
        <p>
          Clients that ask for <code>{skill.skillId}</code> are refused from now on; rules that lead
          to it are passed over. Open tasks go on with the plan they began with.
        </p>
      </Confirm>
    </RoutingFrame>
  );
}

function savedOf(skill: Composite): Saved<CompositeDraft> {
  return { version: skill.version, written: writtenOf(skill) };
}

/** Changes the version that it was begun with: another change meanwhile is not undone, but refused with ways on. */
function Edit({
  skill,
  taken,
  onDone,
}: {
  readonly skill: Composite;
  /** The version that is taken into the editor; none: the present one. */
  readonly taken: number | undefined;
  readonly onDone: () => void;
}) {
  const [from] = useState(() => savedOf(skill));
  const { id } = skill;
  const old = useCompositeVersion(id, taken ?? from.version, taken !== undefined);
  const read = async () => {
    const { data } = await client.GET('/api/v1/composite-skills/{id}', {
      params: { path: { id } },
    });
    return savedOf(data!);
  };
  const save = async (draft: CompositeDraft, { version } = from) => {
    const saved = await changeComposite({ id, version }, { ...draft, id: undefined });
    notify(`“${saved?.name}” is at version ${saved?.version}. Open tasks keep their plan.`);
    onDone();
  };
  return (
    <WithVersion
      version={taken}
      query={old}
      editor={(saved) => (
        <CompositeEditor
          begun={{ from, read }}
          taken={saved && writtenOf(saved)}
          action="Save as the next version"
          onSave={save}
          onCancel={onDone}
        />
      )}
    />
  );
}

function Plan({ skill }: { readonly skill: Composite }) {
  const { skillId, tags, examples, organizations, deadlineSeconds, maxCalls, updatedAt } = skill;
  return (
    <div className="routing-answer">
      {skill.problems.length > 0 && (
        <Notice tone="warning">
          <p>Clients cannot use it now:</p>
          <ul>
            {skill.problems.map(({ field, description }) => (
              <li key={field + description}>
                <code>{field}</code> {description}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <Card flush>
        <PlanPicture
          label={`The steps of ${skill.name}`}
          steps={stepsOfWritten(skill.steps, skill.problems)}
        />
      </Card>
      <Card title="What clients see">
        <Facts
          facts={{
            'Skill id': <Id value={skillId} />,
            Tags: tags.length > 0 && (
              <span className="actions">
                {tags.map((tag) => (
                  <Badge key={tag}>{tag}</Badge>
                ))}
              </span>
            ),
            Examples: examples.length > 0 ? examples.join(' · ') : null,
            For: organizations?.join(', ') ?? 'everybody',
            Takes: skill.inputModes.join(', ') || null,
            Gives: skill.outputModes.join(', ') || null,
            Deadline: deadlineSeconds === null ? 'none' : `${deadlineSeconds} s`,
            'Messages to agents': maxCalls === null ? null : `at most ${maxCalls}`,
            Changed: <Time at={updatedAt} />,
          }}
        />
      </Card>
    </div>
  );
}

async function changeComposite(
  { id, version }: Pick<Composite, 'id' | 'version'>,
  changes: CompositeDraft,
) {
  const { data } = await client.PATCH('/api/v1/composite-skills/{id}', {
    params: { path: { id }, header: { 'If-Match': `"${version}"` } },
    body: changes as never,
  });
  await compositesChanged();
  return data;
}

async function compositesChanged(): Promise<void> {
  await queries.invalidateQueries({
    predicate: ({ queryKey }) =>
      typeof queryKey[1] === 'string' && queryKey[1].startsWith('/api/v1/composite-skills'),
  });
}
