import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { AppConfig } from './app-config.js';
import { FollowedTls } from './followed-tls.js';
import { grpcListener, httpListener } from './tls-faults.js';

/**
 * How often the files are read, a few kilobytes: that sees what notifications of the file system miss
 * (files put in place by renaming, mounted secrets, network drives). A change counts when two looks in a row have seen it.
 */
const LOOK_EVERY_MS = 2000;

/** What the listeners of this process speak TLS with at this moment: as the settings say, and as their files change. */
@Injectable()
export class ListenerTls implements OnApplicationBootstrap, OnModuleDestroy {
  readonly http: FollowedTls;
  readonly grpc: FollowedTls;
  private readonly job: BackgroundJob;

  constructor(
    config: AppConfig,
    private readonly clock: Clock,
    log: Log,
  ) {
    this.http = new FollowedTls('HTTP', httpListener(config), log);
    this.grpc = new FollowedTls('gRPC', grpcListener(config), log);
    const rules = {
      name: 'TLS files',
      failure: 'the files of TLS could not be looked at',
      everyMs: LOOK_EVERY_MS,
      run: () => this.look(),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    if (this.http.files.length + this.grpc.files.length > 0) this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  private async look(): Promise<void> {
    await this.http.look(this.clock.now());
    await this.grpc.look(this.clock.now());
  }
}
