import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { invalidField } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { AskDoubts, useDoubtfulSave } from '../../../ui/doubts';
import { Notice } from '../../../ui/feedback';
import { LeaveGuard } from '../../../ui/leave-guard';
import { Card } from '../../../ui/page';
import { SaveFault } from '../../../ui/save-fault';
import { notify } from '../../../ui/toast';
import { problemsOf } from '../../../ui/use-save';
import { changedMeanwhile } from './changed-meanwhile';
import { patchOf, type Settings, settingsOf } from './settings-form';
import { SETTING_GROUPS } from './setting-groups';
import { SettingField } from './setting-field';

/** The operator's settings of an agent; only what was edited is sent. */
export function SettingsTab({ agent }: { readonly agent: Schema<'AgentDto'> }) {
  const queries = useQueryClient();
  const [edits, setEdits] = useState<Partial<Settings>>({});
  // What each was when one began to edit it.
  const [begun, setBegun] = useState<Partial<Settings>>({});
  const form = useRef<HTMLFormElement>(null);
  const present = settingsOf(agent);
  const settings = { ...present, ...edits };
  const edited = Object.fromEntries(
    Object.entries(edits).filter(([name, text]) => present[name as keyof Settings] !== text),
  ) as Partial<Settings>;
  const isEdited = Object.keys(edited).length > 0;
  const { busy, error, submit, clear, doubts } = useDoubtfulSave(
    (isSure) => {
      // What is no JSON is said first.
      patched(edited);
      return isSure ? Promise.resolve([]) : changedMeanwhile(agent.id, edited, begun);
    },
    async () => {
      await client.PATCH('/api/v1/agents/{id}', {
        params: { path: { id: agent.id } },
        body: patched(edited),
      });
      await queries.invalidateQueries();
      setEdits({});
      setBegun({});
      notify(`The settings of ${agent.name} were changed.`);
    },
  );
  const violations = problemsOf([], error);
  useEffect(() => {
    if (error === null) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);

  const discard = () => {
    setEdits({});
    setBegun({});
    clear();
  };

  return (
    <form ref={form} className="agents-stack" onSubmit={submit}>
      <LeaveGuard isUnsaved={() => isEdited && !busy} />
      {agent.source === 'config' && (
        <Notice tone="info">
          <p>
            This agent is declared in the configuration: what is changed here lasts until the hub is
            started again.
          </p>
        </Notice>
      )}
      {SETTING_GROUPS.map(({ title, lead, settings: group }) => (
        <Card key={title} title={title}>
          {lead && <p className="faint">{lead}</p>}
          <div className="agents-fields">
            {group.map((setting) => (
              <SettingField
                key={setting.name}
                setting={setting}
                value={settings[setting.name]}
                violations={violations}
                onChange={(text) => {
                  setEdits({ ...edits, [setting.name]: text });
                  setBegun({ [setting.name]: present[setting.name], ...begun });
                }}
              />
            ))}
          </div>
        </Card>
      ))}
      <AskDoubts action="Save" doubts={doubts} />
      {error !== null && <SaveFault error={error} />}
      <div className="agents-save">
        <Button type="submit" kind="primary" busy={busy} disabled={!isEdited}>
          Save the settings
        </Button>
        {isEdited && <Button onClick={discard}>Discard the changes</Button>}
        <span className="faint" role="status">
          {isEdited ? `Not saved yet: ${Object.keys(edited).length} changed.` : ''}
        </span>
      </div>
    </form>
  );
}

function patched(edited: Partial<Settings>): ReturnType<typeof patchOf> {
  try {
    return patchOf(edited);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const description = `is no JSON: ${thrown.message}`;
    throw invalidField('cardKeys', description, `Keys of its card ${description}`);
  }
}
