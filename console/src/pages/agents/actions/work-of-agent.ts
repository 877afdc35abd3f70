import type { Schema } from '../../../api/client';

/** What an agent has to do. */
export function workOfAgent({ outstanding, queued }: Schema<'AgentHealthDto'>): string {
  const works =
    outstanding === 0
      ? 'nothing'
      : outstanding === 1
        ? '1 delegation'
        : `${outstanding} delegations`;
  const waits = queued === 0 ? 'none waits' : queued === 1 ? '1 waits' : `${queued} wait`;
  return `It works on ${works}, and ${waits} in its queue`;
}
