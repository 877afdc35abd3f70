import { QueryFlag } from '../../common/http/fields.js';

export class DeleteTaskQueryDto {
  @QueryFlag({
    optional: true,
    default: 'false',
    description:
      'Deletes it even if a cancel to one of its agents or a webhook delivery is pending.',
  })
  force?: boolean;
}
