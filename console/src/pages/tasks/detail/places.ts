/** Where other pages show what a task names. */
export function agentPlace(id: string): string {
  return `/agents/${encodeURIComponent(id)}`;
}

export function rulePlace(id: string): string {
  return `/routing/rules/${encodeURIComponent(id)}`;
}

export function compositePlace(id: string): string {
  return `/routing/composite-skills/${encodeURIComponent(id)}`;
}
