import {
  Egress,
  type EgressRequest,
  type ClassifiedResponse,
} from '../../src/common/egress/egress.js';

/** An egress under which this machine is like any public host: nothing is open by the list alone. */
export class OpenEgress extends Egress {
  constructor() {
    super({ allow: ['127.0.0.0/8'] });
  }

  override async requestClassified(
    url: string,
    options: EgressRequest,
  ): Promise<ClassifiedResponse> {
    return { answer: await this.request(url, options), isListed: false };
  }
}
