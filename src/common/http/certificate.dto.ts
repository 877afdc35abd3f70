import type { CertificateText } from '../client-certificate.js';
import { Shown } from './fields.js';
import { fill } from './view.js';

/** What a certificate says. */
export class CertificateDto {
  @Shown.Text({ example: 'CN=hub.example.com' })
  readonly subject!: string;

  @Shown.Text({ example: 'CN=Example Root' })
  readonly issuer!: string;

  @Shown.Text()
  readonly serialNumber!: string;

  @Shown.Time()
  readonly notBefore!: string;

  @Shown.Time()
  readonly notAfter!: string;

  constructor(text: CertificateText) {
    fill<CertificateDto>(this, text);
  }
}
