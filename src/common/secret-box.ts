const PLAIN = 'plain:';

/**
 * The only place where the secrets the hub keeps (of webhooks, of signing keys) turn into what is
 * stored, and back. A stored value names its form (`plain:` here), so that values sealed in another form
 * can live beside it.
 */
export class SecretBox {
  seal(secret: string): string {
    return PLAIN + secret;
  }

  open(sealed: string): string {
    if (!sealed.startsWith(PLAIN)) throw new Error('The stored secret has an unknown form');
    return sealed.slice(PLAIN.length);
  }
}
