import { useState } from 'react';
import { api } from '../../../api/client';
import { Button } from '../../../ui/button';
import { ErrorView } from '../../../ui/feedback';
import { Field, TextInput } from '../../../ui/field';
import { ProbeReport } from './probe-report';
import { type CardSource, type NewSettings, proofRequest, sourceRequest } from './register-request';

/** One message to the agent, to see how it really behaves. */
export function ProbeForm({
  source,
  settings,
  onChange,
}: {
  readonly source: CardSource;
  readonly settings: NewSettings;
  readonly onChange: (settings: NewSettings) => void;
}) {
  const [text, setText] = useState('Hello');
  const check = api.useMutation('post', '/api/v1/agents:check');
  const probe = () =>
    check.mutate({
      body: {
        ...sourceRequest(source),
        ...proofRequest(settings),
        ...settings.taken,
        probe: true,
        ...(text.trim() !== '' && { probeText: text }),
      },
    });
  return (
    <div>
      <h3>Try it</h3>
      <div className="agents-probe">
        <Field
          label="Message"
          hint="It is sent to the agent once, with the credentials below. No task of the hub comes of it."
        >
          <TextInput value={text} onChange={({ target }) => setText(target.value)} />
        </Field>
        <Button busy={check.isPending} onClick={probe}>
          Send it one message
        </Button>
      </div>
      {/* It comes after seconds, below what one sees of a long form. */}
      <div key={check.submittedAt} ref={check.isIdle || check.isPending ? undefined : intoView}>
        {check.error && <ErrorView error={check.error} />}
        {check.data?.probe && (
          <ProbeReport
            report={check.data.probe}
            taken={settings.taken}
            onTake={(patch) => onChange({ ...settings, taken: { ...settings.taken, ...patch } })}
          />
        )}
      </div>
    </div>
  );
}

function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
