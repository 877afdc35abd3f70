import type { DryRunAnswer } from './dry-run';
import { reasonInWords } from './route-words';

/** Who would get a message, in a few lines. */
export function RouteSummary({ answer }: { readonly answer: DryRunAnswer }) {
  const { route, refusal } = answer;
  if (route === null) {
    return (
      <p>
        <strong>The message is refused.</strong> {refusal?.message}
      </p>
    );
  }
  const agents = [...new Set(route.chosen.map(({ agentId }) => agentId))].join(', ');
  return (
    <p>
      It goes to <strong>{agents}</strong>. <span className="faint">{reasonInWords(route)}</span>
    </p>
  );
}
