import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTargets } from '../../api/targets';
import { AgentInput } from '../../ui/agent-input';
import { Field, Select } from '../../ui/field';
import { emptyPartOf } from '../../ui/parts/file-parts';
import { Suggest } from '../../ui/suggest';
import { COMPOSER } from './composer';
import { type Mode, MODES } from './search';
import { takeMessage, type TakenMessage } from '../../api/taken-message';
import { jsonOf, type PlaygroundDraft } from './draft';
import type { PlaygroundSession } from './playground-session';
import { type TargetKind, TARGET_KINDS, targetOf } from './target';
import { TargetNote } from './target-note';

const LABELS = { agent: 'Agent', skill: 'Skill', tags: 'Tags' } as const;

/** To whom the next message goes, and how one waits; both are in the address. */
export function TargetBar({ session }: { readonly session: PlaygroundSession }) {
  const search = useSearch({ from: '/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const { skills, tags } = useTargets();
  const target = targetOf(search);
  // Chosen, but without a name yet.
  const [begun, setBegun] = useState<TargetKind | null>(null);
  const kind = begun ?? target.kind;
  const { mode } = search;
  const name = (chosen: TargetKind, value: string) =>
    void navigate({
      search: { ...(mode && { mode }), ...(chosen !== 'hub' && value && { [chosen]: value }) },
      replace: true,
    });
  const values = { skill: skills.map(({ id }) => id), tags };
  const typed = (value: string) => {
    setBegun(kind);
    name(kind, value);
  };
  return (
    <>
      <div className="filters">
        <Field label="To">
          <Select
            options={TARGET_KINDS}
            value={kind}
            onChange={(event) => {
              setBegun(event.target.value as TargetKind);
              name('hub', '');
            }}
          />
        </Field>
        {kind !== 'hub' && (
          <Field label={LABELS[kind]}>
            {kind === 'agent' ? (
              <AgentInput form={COMPOSER} value={target.name} onChange={typed} />
            ) : (
              <Suggest
                values={values[kind]}
                value={target.name}
                onChange={(event) => typed(event.target.value)}
              />
            )}
          </Field>
        )}
        <Field label="How">
          <Select
            options={MODES}
            value={mode ?? 'stream'}
            onChange={(event) =>
              void navigate({
                search: (before) => ({ ...before, mode: event.target.value as Mode }),
                replace: true,
              })
            }
          />
        </Field>
        <Link
          className="button"
          to="/routing/dry-run"
          search={target.kind === 'hub' ? {} : { [target.kind]: target.name }}
          onClick={() => takeMessage(messageOf(session.draft()))}
        >
          Who would get it?
        </Link>
      </div>
      <TargetNote kind={kind} target={target} />
    </>
  );
}

/** What is written, as a dry run has it: without the bytes of its files. */
function messageOf({ text, data, metadata, modes, files }: PlaygroundDraft): TakenMessage {
  const [own, said] = [jsonOf(data).value, jsonOf(metadata, true).value];
  const accepted = { modes: modes.join(', ') };
  if (own === undefined && said === undefined && files.length === 0) {
    return { ...accepted, kind: 'text', text };
  }
  const message = {
    messageId: '1',
    role: 'ROLE_USER',
    parts: [
      ...(text.trim() === '' ? [] : [{ text }]),
      ...(own === undefined ? [] : [{ data: own }]),
      ...files.map(emptyPartOf),
    ],
    ...(said !== undefined && { metadata: said }),
  };
  return { ...accepted, kind: 'json', text, json: JSON.stringify(message, null, 2) };
}
