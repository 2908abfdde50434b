import { execFileSync } from 'node:child_process';
import { createPrivateKey, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Debian's packages put the module. */
export const softHsmModule = '/usr/lib/softhsm/libsofthsm2.so';

export type SoftHsm = ReturnType<typeof startSoftHsm>;

/**
 * A SoftHSM with tokens, which this process and those that get its `env` use (Debian: apt-get install softhsm2).
 * This process uses those of the newest one.
 */
export function startSoftHsm({ tokens: labels = ['karat'] }: { tokens?: string[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'karat-softhsm-'));
  const tokens = join(folder, 'tokens');
  mkdirSync(tokens, { mode: 0o700 });
  const configuration = join(folder, 'softhsm2.conf');
  writeFileSync(configuration, `directories.tokendir = ${tokens}\nobjectstore.backend = file\n`);
  process.env.SOFTHSM2_CONF = configuration;
  const pin = randomBytes(6).toString('hex');
  const pinFile = join(folder, 'pin');
  writeFileSync(pinFile, `${pin}\n`, { mode: 0o600 });
  const run = (...args: string[]) =>
    execFileSync('softhsm2-util', args, { env: { ...process.env, SOFTHSM2_CONF: configuration } });
  const makeToken = (label: string) =>
    run('--init-token', '--free', '--label', label, '--pin', pin, '--so-pin', randomBytes(6).toString('hex'));
  for (const label of labels) makeToken(label);
  readConfiguration();
  return {
    folder,
    pin,
    pinFile,
    env: { SOFTHSM2_CONF: configuration },
    /** Takes all tokens away. */
    destroyTokens: () => rmSync(tokens, { recursive: true }),
    /** Puts a key into a token and returns its URI, with the file of the PIN. */
    put(label: string, { secretKey }: { secretKey: Uint8Array }, token = 'karat'): string {
      const file = join(folder, `${label}.pem`);
      const header = Buffer.from('302e020100300506032b657004220420', 'hex');
      const der = Buffer.concat([header, secretKey.subarray(0, 32)]);
      const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      writeFileSync(file, key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
      const id = randomBytes(4).toString('hex');
      run('--import', file, '--token', token, '--label', label, '--id', id, '--pin', pin);
      return `pkcs11:token=${token};object=${label}?module-path=${softHsmModule}&pin-source=file:${pinFile}`;
    },
    /** Puts a new AES key into a token and returns its URI, with the file of the PIN. */
    putAes(label: string, bytes = 32, token = 'karat'): string {
      const file = join(folder, `${label}.aes`);
      // As text: softhsm2-util ends a key at its first zero or line feed.
      writeFileSync(file, randomBytes(bytes).toString('hex').slice(0, bytes), { mode: 0o600 });
      const id = randomBytes(4).toString('hex');
      run('--import', file, '--aes', '--token', token, '--label', label, '--id', id, '--pin', pin);
      return `pkcs11:token=${token};object=${label}?module-path=${softHsmModule}&pin-source=file:${pinFile}`;
    },
    stop: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Initializes the module again: it reads its configuration then, and an earlier file of this worker may have loaded it. */
function readConfiguration(): void {
  const library = createRequire(import.meta.url)('koffi').load(softHsmModule);
  library.func('ulong C_Finalize(void *reserved)')(null);
  // CK_C_INITIALIZE_ARGS: four functions, then the flags, of which CKF_OS_LOCKING_OK is set.
  const settings = new BigUint64Array(6);
  settings[4] = 2n;
  const result = library.func('ulong C_Initialize(uint64_t *settings)')(settings);
  if (result !== 0) throw new Error(`C_Initialize returned ${result}`);
}
