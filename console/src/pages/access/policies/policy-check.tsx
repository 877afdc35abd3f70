import { useQuery } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { Notice } from '../../../ui/feedback';
import { useDebounced } from '../../../ui/use-debounced';
import { ACCESS } from '../query-keys';

const PAUSE_MS = 500;

/** Says, as one types, what is wrong with a policy and which tests would fail if it were saved. */
export function PolicyCheck({ policy }: { readonly policy: Schema<'WrittenPolicyDto'> }) {
  const settled = useDebounced(JSON.stringify(policy), PAUSE_MS);
  const draft = JSON.parse(settled) as Schema<'WrittenPolicyDto'>;
  const check = useQuery({
    queryKey: [ACCESS, 'policy-check', settled],
    enabled: draft.text.trim() !== '',
    retry: false,
    queryFn: async ({ signal }) => {
      try {
        const { data } = await client.POST('/api/v1/policies:dry-run', {
          // Any question: what is wanted are the faults of the text and the tests.
          body: { operation: 'ListTasks', policy: { ...draft, id: draft.id || 'unnamed' } },
          signal,
        });
        const { failingTests, warnings } = data!;
        return { faults: [], failing: failingTests ?? [], warnings: warnings ?? [] };
      } catch (thrown) {
        const { status, violations, message } = asProblem(thrown);
        if (status !== 400) throw thrown;
        const faults = violations.map(({ field, description }) => `${field}: ${description}`);
        return { faults: faults.length > 0 ? faults : [message], failing: [], warnings: [] };
      }
    },
  });
  if (draft.text.trim() === '' || !check.data) return null;
  const { faults, failing, warnings } = check.data;
  if (faults.length > 0) {
    return (
      <Notice tone="warning">
        <p>It cannot be saved as it is:</p>
        <List lines={faults} />
      </Notice>
    );
  }
  if (failing.length > 0) {
    return (
      <Notice tone="warning">
        <p>These tests would fail:</p>
        <List lines={failing.map(({ field, description }) => `${field} ${description}`)} />
      </Notice>
    );
  }
  if (warnings.length > 0) return <PolicyWarnings warnings={warnings} />;
  return (
    <Notice tone="good">
      The text can be read{draft.tests?.length ? ', and all tests pass' : ''}.
    </Notice>
  );
}

/** What of a policy is most likely meant otherwise; nothing where there is nothing of it. */
export function PolicyWarnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warning">
      <p>Is this what you mean?</p>
      <List lines={warnings} />
    </Notice>
  );
}

function List({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ul className="access-faults">
      {lines.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}
