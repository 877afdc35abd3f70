import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import type { MenuItem } from '../../../ui/menu';
import { notify } from '../../../ui/toast';
import { CardChanges } from './card-changes';
import { DeleteAgent } from './delete-agent';
import { DrainAgent } from './drain-agent';
import { KillAgent } from './kill-agent';

type Agent = Schema<'AgentDto'>;

export interface AgentActions {
  readonly itemsOf: (agent: Agent) => readonly MenuItem[];
  readonly refresh: (agent: Agent) => Promise<void>;
  readonly enable: (agent: Agent) => Promise<void>;
  readonly drain: (agent: Agent) => void;
  readonly kill: (agent: Agent) => void;
  readonly remove: (agent: Agent) => void;
  /** Of whose card it is looked whether it has changed. */
  readonly refreshing: string | null;
  /** To be shown on the page that has the actions. */
  readonly dialogs: ReactNode;
}

interface Open {
  readonly what: 'drain' | 'kill' | 'remove';
  readonly agent: Agent;
}

/** What can be done to an agent; what cannot be taken back asks first. */
export function useAgentActions(onDeleted?: () => Promise<unknown>): AgentActions {
  const queries = useQueryClient();
  const [open, setOpen] = useState<Open | null>(null);
  const [refreshing, setRefreshing] = useState<string | null>(null);
  const [refreshed, setRefreshed] = useState<Schema<'RefreshedAgentDto'> | null>(null);
  const changed = () => queries.invalidateQueries();

  const refresh = async ({ id, name }: Agent) => {
    setRefreshing(id);
    try {
      const { data } = await client.POST('/api/v1/agents/{id}:refresh', {
        params: { path: { id } },
      });
      if (data === undefined || data.changes.length === 0) {
        notify(`The card of ${name} was read again: it is as it was.`);
      } else {
        setRefreshed(data);
      }
    } catch (thrown) {
      notify(`The card of ${name} was not read: ${asProblem(thrown).message}`);
    } finally {
      setRefreshing(null);
      await changed();
    }
  };
  const enable = async ({ id, name }: Agent) => {
    try {
      await client.PATCH('/api/v1/agents/{id}', {
        params: { path: { id } },
        body: { enabled: true },
      });
      notify(`${name} gets work again.`);
    } catch (thrown) {
      notify(asProblem(thrown).message);
    }
    await changed();
  };
  const drain = (agent: Agent) => setOpen({ what: 'drain', agent });
  const kill = (agent: Agent) => setOpen({ what: 'kill', agent });
  const remove = (agent: Agent) => setOpen({ what: 'remove', agent });
  const close = () => setOpen(null);

  return {
    refresh,
    enable,
    drain,
    kill,
    remove,
    refreshing,
    itemsOf: (agent) => [
      { label: 'Read the card again, forget its failures', onSelect: () => void refresh(agent) },
      agent.enabled
        ? { label: 'Drain …', onSelect: () => drain(agent) }
        : { label: 'Enable', onSelect: () => void enable(agent) },
      { label: 'Kill …', danger: true, onSelect: () => kill(agent) },
      {
        label: 'Delete …',
        danger: true,
        disabled: agent.source === 'config',
        onSelect: () => remove(agent),
      },
    ],
    dialogs: (
      <>
        <CardChanges refreshed={refreshed} onClose={() => setRefreshed(null)} />
        {open?.what === 'drain' && (
          <DrainAgent agent={open.agent} onClose={close} onDone={changed} />
        )}
        {open?.what === 'kill' && <KillAgent agent={open.agent} onClose={close} onDone={changed} />}
        {open?.what === 'remove' && (
          <DeleteAgent
            agent={open.agent}
            onClose={close}
            onDone={async () => {
              await onDeleted?.();
              await changed();
            }}
          />
        )}
      </>
    ),
  };
}
