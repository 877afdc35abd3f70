import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/index.js';
import { AuthModule } from '../auth/index.js';
import { ConsoleCookies } from './sign-in/console-cookies.js';
import { ConsoleSessions } from './sign-in/console-sessions.js';
import { SessionEndpoint } from './sign-in/session.endpoint.js';
import { SessionSweep } from './sign-in/session-sweep.js';
import { SignInAttempts } from './sign-in/sign-in-attempts.js';
import { SignInEndpoint } from './sign-in/sign-in.endpoint.js';
import { SignInProviders } from './sign-in/sign-in-providers.js';
import { logOf } from '../common/module-logs.js';

@Module({
  imports: [AuditModule, AuthModule],
  providers: [
    logOf('console'),
    ConsoleCookies,
    ConsoleSessions,
    SessionEndpoint,
    SessionSweep,
    SignInAttempts,
    SignInEndpoint,
    SignInProviders,
  ],
})
export class ConsoleModule {}
