import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasScope } from '../auth/index.js';
import { declareAccess } from '../common/http/declare-access.js';
import { Metrics } from './metrics.js';

@ApiExcludeController()
@Controller('metrics')
@declareAccess('optional')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  /** Who has no key with the scope `agents` reads of agents that are not for everybody as `(hidden)`. */
  @Get()
  async read(@Req() { principal }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const isOperator = principal !== null && hasScope(principal, 'agents');
    const { contentType, body } = await this.metrics.render(isOperator ? 'operator' : 'everybody');
    await reply.type(contentType).send(body);
  }
}
