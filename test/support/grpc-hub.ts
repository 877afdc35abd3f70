import { type Hub, type HubOptions, startHub } from './app.js';
import { GrpcClient } from './grpc-client.js';
import { ScriptedAgent, type ScriptedAgentOptions } from './scripted-agent.js';

/** A hub that serves gRPC, with the agent `scripted` behind it and a client of its ordinary key. */
export interface GrpcHub {
  readonly hub: Hub;
  readonly agent: ScriptedAgent;
  readonly client: GrpcClient;
  close(): Promise<void>;
}

export async function startGrpcHub(
  config: HubOptions['config'] = {},
  options: ScriptedAgentOptions = {},
): Promise<GrpcHub> {
  const [hub, agent] = await Promise.all([
    startHub({ config: { ...config, grpc: { port: -1 } } }),
    ScriptedAgent.start(options),
  ]);
  await hub.registerAgent(agent.url, { id: 'scripted' });
  const client = await GrpcClient.of(hub);
  return {
    hub,
    agent,
    client,
    close: async () => {
      client.close();
      await hub.close();
      await agent.close();
    },
  };
}
