import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { PageQueryDto } from '../../common/http/page-query.dto.js';

export class AgentQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String, description: "A tag of the operator's or of a skill." })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  tag?: string;

  @ApiPropertyOptional({ type: String, description: 'The id of a skill.' })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  skill?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Part of the name, the description or the name of a skill.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  text?: string;

  @ApiPropertyOptional({ enum: ['enabled', 'disabled'] })
  @IsOptional()
  @IsIn(['enabled', 'disabled'])
  state?: 'enabled' | 'disabled';
}
