import {
  type Server,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerInterceptingCallInterface,
  status,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

const WATCH = '/grpc.health.v1.Health/Watch';

/** The standard health service: SERVING until the process drains, for every service and for ''. */
export class GrpcHealth {
  private readonly health: HealthImplementation;
  private readonly watches = new Set<ServerInterceptingCallInterface>();

  constructor(private readonly services: readonly string[]) {
    this.health = new HealthImplementation(
      Object.fromEntries(services.map((name) => [name, 'SERVING'])),
    );
  }

  addTo(server: Server): void {
    this.health.addToServer(server);
  }

  /** Tells everybody who asks or watches NOT_SERVING, and ends the watches: they would never end. */
  stop(): void {
    for (const name of this.services) this.health.setStatus(name, 'NOT_SERVING');
    for (const watch of this.watches) {
      watch.sendStatus({ code: status.UNAVAILABLE, details: 'The hub is going to stop.' });
    }
  }

  /** Keeps the open watches. */
  readonly intercept: ServerInterceptor = ({ path }, call) => {
    if (path !== WATCH) return new ServerInterceptingCall(call);
    return new ServerInterceptingCall(call, {
      start: (next) => {
        this.watches.add(call);
        next({ onCancel: () => this.watches.delete(call) });
      },
    });
  };
}
