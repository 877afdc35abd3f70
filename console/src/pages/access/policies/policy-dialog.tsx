import { useState } from 'react';
import { api, type Schema } from '../../../api/client';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { CopyButton } from '../../../ui/copy';
import { Dialog } from '../../../ui/dialog';
import { Loaded } from '../../../ui/feedback';
import { counted } from '../../../ui/lists';
import { Facts } from '../../../ui/page';
import { TextDiff } from '../../../ui/text-diff';
import { Time } from '../../../ui/time';
import { PolicyWarnings } from './policy-check';

type Version = Schema<'PolicyVersionDto'>;

/** A policy: its text, and what each version changed. */
export function PolicyDialog({
  policy,
  onEdit,
  onClose,
}: {
  readonly policy: Schema<'PolicyDto'>;
  readonly onEdit: (() => void) | null;
  readonly onClose: () => void;
}) {
  const isStored = policy.source === 'api';
  const versions = api.useQuery(
    'get',
    '/api/v1/policies/{id}/versions',
    { params: { path: { id: policy.id } } },
    { enabled: isStored, staleTime: 0 },
  );
  return (
    <Dialog
      wide
      open
      title={`Policy ${policy.id}`}
      description={policy.description || undefined}
      onClose={onClose}
    >
      <div className="dialog-body">
        <Facts
          facts={{
            State: (
              <Badge tone={policy.enabled ? 'good' : 'neutral'}>
                {policy.enabled ? 'in force' : 'out of force'}
              </Badge>
            ),
            'For callers of': policy.organization ?? 'all organizations',
            Source: isStored ? null : 'declared in the configuration; changed there',
            Version: isStored ? policy.version : null,
            Changed: policy.updatedAt && <Time at={policy.updatedAt} />,
            Tests: policy.tests.length,
          }}
        />
        <PolicyWarnings warnings={policy.warnings} />
        <div className="access-text">
          <CopyButton text={policy.text} label="Copy the text" />
          <pre aria-label="Text">{policy.text}</pre>
        </div>
        {policy.tests.length > 0 && (
          <ul className="access-faults" aria-label="Tests">
            {policy.tests.map(({ name, expect }) => (
              <li key={name}>
                {name}{' '}
                <span className="faint">must be {expect === 'deny' ? 'denied' : 'allowed'}</span>
              </li>
            ))}
          </ul>
        )}
        {isStored && <Loaded query={versions}>{(list) => <Versions versions={list} />}</Loaded>}
        {onEdit && (
          <footer className="dialog-foot">
            <Button kind="primary" onClick={onEdit}>
              Edit
            </Button>
          </footer>
        )}
      </div>
    </Dialog>
  );
}

/** What each version changed, the newest first. */
function Versions({ versions }: { readonly versions: readonly Version[] }) {
  const [open, setOpen] = useState<number | null>(null);
  return (
    <section aria-label="Versions">
      <h3>{counted(versions.length, 'version')}</h3>
      <ol className="access-versions">
        {versions.map((version, index) => {
          const before = versions[index + 1];
          const isOpen = open === version.version;
          return (
            <li key={version.version}>
              <button
                type="button"
                className="link"
                aria-expanded={isOpen}
                onClick={() => setOpen(isOpen ? null : version.version)}
              >
                Version {version.version}
              </button>{' '}
              <span className="faint">
                <Time at={version.at} />
                {before && `: ${changesOf(before, version).join(', ') || 'nothing changed'}`}
              </span>
              {isOpen && (
                <TextDiff
                  label={`Changes of version ${version.version}`}
                  from={before ? shownText(before) : ''}
                  to={shownText(version)}
                />
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function changesOf(before: Version, after: Version): string[] {
  return [
    before.text !== after.text && 'text',
    JSON.stringify(before.tests) !== JSON.stringify(after.tests) && 'tests',
    before.description !== after.description && 'description',
    before.enabled !== after.enabled && (after.enabled ? 'put in force' : 'put out of force'),
  ].filter((each) => each !== false);
}

/** All of a version as one text, so that any change shows. */
function shownText({ description, enabled, text, tests }: Version): string {
  return [
    `description: ${description}`,
    `enabled: ${enabled}`,
    text,
    ...(tests.length > 0 ? ['tests:', JSON.stringify(tests, null, 2)] : []),
  ].join('\n');
}
