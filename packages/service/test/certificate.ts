import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A DER value of a tag. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const object = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const pem = (label: string, content: Buffer) =>
  `-----BEGIN ${label}-----\n${content.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`;

/** As a certificate has it: UTC to the second, with two digits of the year. */
const moment = (date: Date) => date.toISOString().replace(/^..|\.\d+|[-:T]/g, '');

/** Makes a certificate of a host, signed by itself and valid from 2020 until `end`, with its key; both are PEM. */
export function makeCertificate(
  host: string,
  end = new Date('2049-12-31T23:59:59Z'),
): { certificate: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(object('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(object('550403'), der(0x0c, Buffer.from(host)))));
  const moments = ['200101000000Z', moment(end)].map((text) => der(0x17, Buffer.from(text)));
  const hosts = sequence(object('551d11'), der(0x04, sequence(der(0x82, Buffer.from(host)))));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(...moments),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(hosts)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]);
  return {
    certificate: pem('CERTIFICATE', sequence(content, ecdsaWithSha256, der(0x03, signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
