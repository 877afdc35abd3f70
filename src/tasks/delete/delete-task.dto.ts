import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

export class DeleteTaskQueryDto {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description: 'Deletes it although its agents or webhooks are still to be told of something.',
  })
  @IsOptional()
  @IsIn(['true', 'false'])
  force?: 'true' | 'false';
}
