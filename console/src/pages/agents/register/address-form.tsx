import type { FormEvent } from 'react';
import { asProblem } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { ErrorView } from '../../../ui/feedback';
import { Field, TextArea, TextInput } from '../../../ui/field';
import { Icon } from '../../../ui/icons';
import { Card } from '../../../ui/page';
import { HeaderEditor } from '../credentials/header-editor';
import type { CardSource } from './register-request';

/** Where the card of the agent is. */
export function AddressForm({
  source,
  onChange,
  onCheck,
  busy,
  error,
  isChecked,
}: {
  readonly source: CardSource;
  readonly onChange: (source: CardSource) => void;
  readonly onCheck: () => void;
  readonly busy: boolean;
  readonly error: unknown;
  readonly isChecked: boolean;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCheck();
  };
  const isPasted = source.card.trim() !== '';
  const fault = error === null ? null : faultOf(error);
  return (
    <Card title="1. Where is it?">
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="Address of the agent"
          hint="Such as https://agent.example, or the address of its card. Nothing is kept until you register it."
          error={fault?.atAddress}
        >
          <TextInput
            type="url"
            inputMode="url"
            placeholder="https://agent.example"
            value={source.cardUrl}
            disabled={isPasted}
            onChange={({ target }) => onChange({ ...source, cardUrl: target.value })}
          />
        </Field>
        <details className="agents-more">
          <summary>The card needs headers, or is at no address</summary>
          <div className="form">
            <p className="agents-sub">Headers that are sent when the card is read:</p>
            <HeaderEditor
              rows={source.cardHeaders}
              onChange={(cardHeaders) => onChange({ ...source, cardHeaders })}
            />
            <Field label="The card itself, as JSON" hint="In place of an address.">
              <TextArea
                value={source.card}
                onChange={({ target }) => onChange({ ...source, card: target.value })}
              />
            </Field>
          </div>
        </details>
        {fault !== null && fault.atAddress === undefined && <ErrorView error={fault.error} />}
        <div>
          <Button
            type="submit"
            kind={isChecked ? 'plain' : 'primary'}
            busy={busy}
            disabled={source.cardUrl.trim() === '' && !isPasted}
            icon={<Icon name="search" />}
          >
            Look at it
          </Button>
        </div>
      </form>
    </Card>
  );
}

function faultOf(error: unknown): { readonly atAddress?: string; readonly error: unknown } {
  if (error instanceof SyntaxError) {
    return { error: new Error(`The card is no JSON: ${error.message}`) };
  }
  const problem = asProblem(error);
  const isOfAddress = problem.violations.some(({ field }) => field === 'cardUrl');
  return isOfAddress ? { atAddress: problem.message, error } : { error };
}
