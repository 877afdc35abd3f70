import { Module } from '@nestjs/common';
import { A2aModule } from '../a2a/index.js';
import { AdminAnswers } from './admin-answers.js';
import { AdminBodies } from './admin-bodies.js';

/** What requests and answers of the admin API may take of the process; each feature has its own controllers. */
@Module({
  imports: [A2aModule],
  providers: [AdminAnswers, AdminBodies],
})
export class AdminModule {}
