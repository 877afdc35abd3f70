import { type KeyObject, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate for `127.0.0.1` and `localhost`, signed by itself, and its key, as PEM. */
export function selfSigned(): { readonly certificate: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBeSigned(publicKey);
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines(certificate)}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** RFC 5280 §4.1, with no more than a client looks at. */
function toBeSigned(publicKey: KeyObject): Buffer {
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const names = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const subjectAltName = sequence(oid('551d11'), der(0x04, names));
  return sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_SHA256,
    NAME,
    sequence(time(-1), time(1)),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectAltName)),
  );
}

function time(years: number): Buffer {
  const date = new Date();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\..*/g, '')}Z`));
}

function sequence(...members: Buffer[]): Buffer {
  return der(0x30, ...members);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

/** Tag, length, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

function lines(bytes: Buffer): string {
  return bytes
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
}

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = sequence(oid('550403'), der(0x0c, Buffer.from('localhost')));
const NAME = sequence(der(0x31, COMMON_NAME));
