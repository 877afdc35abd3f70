const STEPS = [
  { name: 'Named', what: 'the address or the message names an agent, a skill or tags' },
  { name: 'Context', what: 'the conversation goes on with its agents' },
  { name: 'Rules', what: 'the first of these rules that applies' },
  { name: 'Text', what: 'the skill whose words match best' },
  { name: 'Default', what: 'the default agent, if there is one' },
] as const;

/** Who decides, in the order in which it is asked. */
export function DecisionOrder() {
  return (
    <ol className="routing-order" aria-label="Who decides, in this order">
      {STEPS.map(({ name, what }) => (
        <li key={name} className={name === 'Rules' ? 'here' : undefined}>
          <strong>{name}</strong>
          <span>{what}</span>
        </li>
      ))}
    </ol>
  );
}
