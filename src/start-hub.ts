import { KeysService } from './auth/index.js';
import { createApp } from './bootstrap.js';
import {
  type ConfigSource,
  AppConfig,
  GrpcAddress,
  HUB_VERSION,
  PublicUrl,
} from './config/index.js';

/** Connections that may wait to be accepted, as far as the system allows: thousands of clients may come at once. */
const BACKLOG = 8192;

/** Serves until a signal comes, and tells an operator where. */
export async function startHub(source: ConfigSource, print: (text: string) => void): Promise<void> {
  const app = await createApp({ config: source });
  const { server } = app.get(AppConfig);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  try {
    // What is declared is read then: what is wrong with it is said before the key is made.
    await app.init();
    const adminKey = await app.get(KeysService).ensureAdminKey();
    await app.listen({ port: server.port, host: server.host, backlog: BACKLOG });
    if (adminKey !== null) print(`Admin key, shown this once: ${adminKey}\n`);
    const grpc = app.get(GrpcAddress).listening;
    if (grpc !== undefined) print(`gRPC is listening at ${grpc}\n`);
    print(`A2A Hub ${HUB_VERSION} is listening at ${app.get(PublicUrl).listening}\n`);
  } catch (error) {
    await app.close();
    throw error;
  }
}
