import { Egress, type EgressRequest, type ToldResponse } from '../../src/common/egress/egress.js';

/** An egress under which this machine is like any public host: nothing is open by the list alone. */
export class OpenEgress extends Egress {
  constructor() {
    super({ allow: ['127.0.0.0/8'] });
  }

  override async requestTold(url: string, options: EgressRequest): Promise<ToldResponse> {
    return { answer: await this.request(url, options), isListed: false };
  }
}
