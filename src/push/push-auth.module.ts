import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { Egress } from '../common/egress/egress.js';
import { IdSource } from '../common/ids.js';
import { Log } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { AppConfig, PublicUrl } from '../config/index.js';
import { SigningModule, SigningService } from '../signing/index.js';
import { SqlAuthProfileStore } from './auth/persistence/sql-auth-profile.store.js';
import { AuthProfileStore } from './auth/auth-profile-store.js';
import { AuthProfilesController } from './auth/auth-profiles.controller.js';
import { AuthProfilesService } from './auth/auth-profiles.service.js';
import { Authenticator } from './auth/authenticator.js';
import { CertificateWatch } from './auth/certificate-watch.js';
import { HubTokens } from './auth/hub-tokens.js';
import { KnownProfiles } from './auth/known-profiles.js';
import { OauthTokens } from './auth/oauth-tokens.js';

/** How webhooks prove who sends: the profiles, and what makes a proof for each attempt. */
@Module({
  imports: [AuthModule, SigningModule],
  controllers: [AuthProfilesController],
  providers: [
    { provide: AuthProfileStore, useClass: SqlAuthProfileStore },
    KnownProfiles,
    AuthProfilesService,
    {
      provide: HubTokens,
      inject: [SigningService, IdSource, AppConfig, PublicUrl],
      useFactory: (signing: SigningService, ids: IdSource, config: AppConfig, address: PublicUrl) =>
        new HubTokens(
          signing,
          ids,
          // The address a worker listens on serves no A2A.
          () => config.publicUrl ?? (config.role === 'worker' ? null : address.listening),
        ),
    },
    {
      provide: OauthTokens,
      inject: [Egress, Clock, AppConfig],
      useFactory: (egress: Egress, clock: Clock, config: AppConfig) =>
        new OauthTokens(egress.fetch, clock, config.push),
    },
    {
      provide: Authenticator,
      inject: [SecretBox, KnownProfiles, HubTokens, OauthTokens, Log],
      useFactory: (
        secrets: SecretBox,
        profiles: KnownProfiles,
        hubTokens: HubTokens,
        oauthTokens: OauthTokens,
        log: Log,
      ) => new Authenticator(secrets, profiles, hubTokens, oauthTokens, new CertificateWatch(log)),
    },
  ],
  exports: [Authenticator, KnownProfiles],
})
export class PushAuthModule {}
