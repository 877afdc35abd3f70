import { Badge } from '../../../ui/badge';
import { exclusionNotes, nonePassedOver } from '../../../ui/exclusions';
import { Notice } from '../../../ui/feedback';
import { JsonTree } from '../../../ui/json-tree';
import { Card, Facts } from '../../../ui/page';
import { durationText } from '../../../ui/time';
import { stepsOfPlan } from '../picture/plan-steps';
import { PlanPicture } from '../picture/plan-picture';
import { CandidateList } from './candidate-list';
import type { DryRunAnswer, DryRunRequest, DryRunRoute } from './dry-run';
import { PolicyDecisions } from './policy-decisions';
import { reasonInWords, strategyInWords } from './route-words';
import { RuleReports } from './rule-reports';

/** Who would get a message and why, who would not and why, and what became of each rule. */
export function RouteView({
  request,
  answer,
}: {
  readonly request: DryRunRequest;
  readonly answer: DryRunAnswer;
}) {
  const { route, refusal, rules, exclusions, warnings } = answer;
  const { excluded = [], moreExcluded } = exclusions;
  const notes = exclusionNotes(exclusions);
  return (
    <>
      {warnings.map((warning) => (
        <Notice tone="warning" key={warning}>
          {warning}
        </Notice>
      ))}
      {route && <Chosen route={route} />}
      {refusal && (
        <Card title="Nobody gets it">
          <Notice tone="bad">
            <p>
              <strong>{refusal.reason.replaceAll('_', ' ')}</strong> {refusal.message}
            </p>
          </Notice>
        </Card>
      )}
      {route?.plan && (
        <Card title="The plan" flush>
          <PlanPicture label="The plan of the message" steps={stepsOfPlan(route.plan)} />
        </Card>
      )}
      {route && (
        <Card title={`Passed over (${route.skipped.length})`} flush={route.skipped.length > 0}>
          {route.skipped.length === 0 ? (
            <p className="faint">{nonePassedOver(route)}</p>
          ) : (
            <CandidateList
              label="Passed over"
              candidates={route.skipped}
              more={route.moreSkipped}
            />
          )}
        </Card>
      )}
      {excluded.length + notes.length > 0 && (
        <Card title="Not open to the caller" flush>
          <CandidateList
            label="Not open to the caller"
            candidates={excluded}
            more={moreExcluded}
            notes={notes}
          />
        </Card>
      )}
      {rules && rules.length > 0 && (
        <Card title="Rules" flush>
          <RuleReports reports={rules} />
        </Card>
      )}
      <PolicyDecisions request={request} answer={answer} />
      <details className="routing-raw">
        <summary>The whole answer</summary>
        <JsonTree label="The answer" value={route ?? refusal?.body} />
      </details>
    </>
  );
}

function Chosen({ route }: { readonly route: DryRunRoute }) {
  const { reason, rule, composite, deadlineMs, maxCalls, passedRules, leftOut, chosen, plan } =
    route;
  return (
    <Card title="Who gets it" actions={<Badge tone="info">by {reason}</Badge>} flush>
      <div className="card-body">
        <p>
          <strong>{reasonInWords(route)}</strong> {strategyInWords(route)}
        </p>
        <Facts
          facts={{
            Rule: rule?.name,
            'Composite skill': composite && `${composite.id}, version ${composite.version}`,
            Deadline: deadlineMs === undefined ? undefined : durationText(deadlineMs),
            'At most': maxCalls === undefined ? undefined : `${maxCalls} messages to agents`,
          }}
        />
      </div>
      {plan ? (
        plan.map((step) => (
          <section key={step.name} className="routing-plan-step">
            <h3>{step.name}</h3>
            <CandidateList label={`Chosen for ${step.name}`} candidates={step.chosen} />
          </section>
        ))
      ) : (
        <CandidateList label="Chosen" candidates={chosen} numbered />
      )}
      {[...(passedRules ?? []), ...(leftOut ?? [])].map((passed) => (
        <p className="card-body" key={passed.why}>
          <Badge tone="warning">
            {'step' in passed ? `without step ${passed.step}` : `rule ${passed.name} passed over`}
          </Badge>{' '}
          {passed.why}
        </p>
      ))}
    </Card>
  );
}
