import { KeysService } from './auth/index.js';
import { adminKeyFileOf, writeAdminKey } from './admin-key-file.js';
import { createApp } from './bootstrap.js';
import {
  type ConfigSource,
  AppConfig,
  GrpcAddress,
  HUB_VERSION,
  PublicUrl,
} from './config/index.js';

/** Where `print` goes, and whether that is a terminal: what others may keep is shown no key. */
export interface Console {
  readonly print: (text: string) => void;
  readonly isTerminal: boolean;
}
/** Connections that may wait to be accepted, as far as the system allows: thousands of clients may come at once. */
const BACKLOG = 8192;

/** Serves until a signal comes, and tells an operator where. */
export async function startHub(
  source: ConfigSource,
  { print, isTerminal }: Console,
): Promise<void> {
  const app = await createApp({ config: source });
  const { server, database } = app.get(AppConfig);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  try {
    // What is declared is read then: what is wrong with it is said before the key is made.
    await app.init();
    const file = adminKeyFileOf(database.url);
    const adminKey = await app
      .get(KeysService)
      .ensureAdminKey((key) => isTerminal || writeAdminKey(file, key));
    await app.listen({ port: server.port, host: server.host, backlog: BACKLOG });
    if (adminKey !== null) {
      print(
        isTerminal
          ? `Admin key, shown this once: ${adminKey}\n`
          : `The first admin key is in ${file}: keep it, then remove the file.\n`,
      );
    }
    const grpc = app.get(GrpcAddress).listening;
    if (grpc !== undefined) print(`gRPC is listening at ${grpc}\n`);
    print(`A2A Hub ${HUB_VERSION} is listening at ${app.get(PublicUrl).listening}\n`);
  } catch (error) {
    await app.close();
    throw error;
  }
}
