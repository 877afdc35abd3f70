import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

export class DeleteTaskQueryDto {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description:
      'Deletes it even if a cancel to one of its agents or a webhook delivery is pending.',
  })
  @IsOptional()
  @IsIn(['true', 'false'])
  force?: 'true' | 'false';
}
