import type { Address } from '@solana/kit';
import { initChain } from '../actions/program/init-chain.js';
import { type GoldMetadata, pythPrices, usdcMintOf } from '../chain/admin/seed.js';
import { noKey } from '../chain/program/wallet.js';
import { checkConfig } from '../config.js';
import type { Context } from '../context.js';
import { commandLine } from '../domain/audit.js';
import { type MetadataField, metadataFault } from '../domain/token-metadata.js';
import { type Call, CommandError, done, type Outcome, UsageError } from './command.js';
import { readAddress, readIfGiven, readKeyFile, readRole, readWallet } from './keys.js';
import { type NamedKey, readInitialSettings, requireRolesApart } from './program-settings.js';
import { mustBe } from './texts.js';
import { toSnakeCase } from './transactions.js';
import { withContext } from './with-database.js';

export async function init(call: Call): Promise<Outcome> {
  const settings = readInitialSettings(call, await pythPrices());
  const usdcMint = readUsdcMint(call);
  const goldMint = readGoldMint(call);
  const guardian = readIfGiven(call, 'guardian', readWallet);
  const named = readIfGiven(call, 'admin', readAddress);
  const upgradeAuthority = readKeyFile(call, 'upgrade-authority-keypair');
  return done(
    await withContext(call, async (ctx) => {
      const signer = upgradeAuthority ?? ctx.chain.admin;
      const admin = named ?? ctx.chain.admin?.address;
      if (!signer || !admin) {
        throw new CommandError(
          'KARAT_ADMIN_SIGNER is not set: give --admin ADDRESS and --upgrade-authority-keypair FILE instead',
        );
      }
      if (!ctx.chain.hasSigner) {
        throw new CommandError('KARAT_SERVICE_SIGNER is not set: its key becomes the first service signer');
      }
      const guardianKey = guardian ?? ctx.chain.guardian?.address;
      if (!guardianKey) throw new UsageError('--guardian ADDRESS is missing (or KARAT_GUARDIAN_SIGNER)');
      const hotKeys = readHotKeys(call, ctx);
      requireRolesApart([
        { role: 'admin', key: admin, source: sourceOf(call, 'admin') },
        { role: 'guardian', key: guardianKey, source: sourceOf(call, 'guardian') },
        { role: 'attestor', key: settings.attestor, source: sourceOf(call, 'attestor') },
        { role: 'operations', key: hotKeys.operations, source: sourceOf(call, 'operations') },
        { role: 'service signer', key: ctx.chain.signer.address, source: 'KARAT_SERVICE_SIGNER' },
      ] satisfies NamedKey[]);
      const initialized = await initChain(ctx, commandLine, {
        upgradeAuthority: signer,
        payer: ctx.chain.admin ?? signer,
        admin,
        hotKeys,
        usdcMint,
        goldMint,
        settings: { ...settings, guardian: guardianKey },
      });
      return {
        ...toSnakeCase(initialized),
        paused: true,
        next_step: 'Everything is paused: run karat chain resume, signed by the admin, to start trading.',
      };
    }),
  );
}

/** The option that gave a key, or the variable of this process that did in its place. */
function sourceOf(call: Call, role: 'admin' | 'guardian' | 'attestor' | 'operations'): string {
  return call.find(role) === undefined ? `KARAT_${role.toUpperCase()}_SIGNER` : call.sourceOf(role);
}

function readHotKeys(call: Call, { chain }: Context) {
  return {
    operations: readIfGiven(call, 'operations', readRole) ?? chain.operations?.address ?? noKey,
    market: readIfGiven(call, 'market', readRole) ?? chain.market?.address ?? noKey,
    compliance: readRole(call, 'compliance'),
  };
}

/** Reads the mint of USDC; by default that of the network which KARAT_NETWORK names. */
function readUsdcMint(call: Call): Address | 'new' {
  const { network } = checkConfig(call.env).values;
  const known = network && usdcMintOf(network);
  if (call.find('usdc-mint') === undefined) {
    if (known) return known;
    throw new UsageError(
      '--usdc-mint ADDRESS is missing (or KARAT_INIT_USDC_MINT in the environment); KARAT_NETWORK gives it on mainnet-beta and devnet',
    );
  }
  const mint = call.get('usdc-mint') === 'new' ? 'new' : readAddress(call, 'usdc-mint');
  if (network !== 'mainnet-beta' || mint === known) return mint;
  throw mustBe(call, 'usdc-mint', `${known}, the mint of USDC on mainnet-beta`);
}

const metadataOptions: readonly MetadataField[] = ['name', 'symbol', 'uri', 'issuer'];

/** Reads the mint of GOLD, or what a new one calls itself: for ever the same, unless the admin changes it on chain. */
function readGoldMint(call: Call): Address | GoldMetadata {
  if (call.get('gold-mint') === 'new') {
    const [name = '', symbol = '', uri = '', issuer = ''] = metadataOptions.map((field) =>
      readMetadata(call, field),
    );
    return { name, symbol, uri, issuer };
  }
  const extra = metadataOptions.find((field) => call.find(`gold-${field}`) !== undefined);
  if (extra === undefined) return readAddress(call, 'gold-mint');
  throw new UsageError(
    `${call.sourceOf(`gold-${extra}`)} takes --gold-mint new: a mint that is there has its name already`,
  );
}

function readMetadata(call: Call, field: MetadataField): string {
  const anyHost = checkConfig(call.env).values.network === 'localnet';
  const text = call.get(`gold-${field}`);
  const fault = metadataFault(field, text, { anyHost });
  if (fault === undefined) return text;
  throw mustBe(call, `gold-${field}`, fault);
}
