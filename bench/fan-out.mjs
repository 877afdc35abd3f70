// What a task of several agents costs the hub: `all` over 1, 3 and 10 agents beside `one`. All agents are
// one process registered under several ids, so that the figures are the hub's and not of starting them.

/** Agents a message goes to at once. */
export const WIDTHS = [1, 3, 10];

/** Registers as many agents as the widest needs; `register(id)` puts one into the registry. */
export async function registerWide(register) {
  for (let number = 1; number <= Math.max(...WIDTHS); number++) await register(`wide-${number}`);
}

/** Each a name and the metadata of its messages. */
export const FAN_OUTS = [
  { name: 'one', width: 1, metadata: { agentId: 'wide-1' } },
  ...WIDTHS.map((width) => ({ name: `all of ${width}`, width, metadata: wide(width) })),
];

function wide(maxAgents) {
  const directive = { tags: ['answer'], strategy: 'all', maxAgents };
  return { 'urn:a2a-hub:routing:v1': directive };
}
