import { MarketState, type Config as ProgramConfig } from '@karat/program-client';
import { type Address, isAddress } from '@solana/kit';
import { readProgram } from '../chain/admin/loader.js';
import { pythPrices, usdcMintOf } from '../chain/admin/seed.js';
import { judgePrice, pegFaultOf } from '../chain/program/price.js';
import { type KeeperView, NoConfigError, readKeeperView } from '../chain/program/program-snapshot.js';
import { noKey } from '../chain/program/wallet.js';
import type { Keys } from '../chain/sign/keys.js';
import type { Config } from '../config.js';
import type { KeeperReport } from '../domain/keeper-report.js';
import { AppError } from '../errors.js';
import { watchedKeysOf, watchKeys, watchPauses, watchPrice, watchTreasury } from '../keeper/watches.js';

import type { RespondingNode } from './check-node.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, failed, skipped } = findingsOf('program');
const ofKeys = findingsOf('keys');
const ofPrice = findingsOf('price');
const withinMs = 3_000;

/** Checks the program: deployed, initialized, with keys of ours, SOL, stock and a price. */
export async function checkProgram(
  values: Partial<Config>,
  keys: Keys,
  node: RespondingNode | undefined,
): Promise<Finding[]> {
  const { programId } = values;
  if (programId === undefined) return [skipped('KARAT_PROGRAM_ID is not set.')];
  if (!isAddress(programId)) {
    return [failed('KARAT_PROGRAM_ID is not an address.', 'Set it to the address of the program.')];
  }
  if (!node) return [skipped('Without a node, the program cannot be checked.')];
  const undeployed = await checkDeployed(node, programId);
  if (undeployed) return [undeployed];
  const watched = watchedKeysOf(keys);
  let view: KeeperView;
  try {
    view = await readKeeperView(
      { rpc: node.rpc, programAddress: programId },
      Object.values(watched),
      AbortSignal.timeout(withinMs),
    );
  } catch (error) {
    return [await unreadable(error, node, programId)];
  }
  const config = values as Config;
  return [
    ok(`The program ${programId} is initialized.`),
    ...(await checkNetwork(view.config, values)),
    ...checkRoles(view.config, keys),
    ...fromReports(watchKeys(view, watched, config), ofKeys, solRemedy),
    ...fromReports(watchTreasury(view, config), { ok, warning, failed }, treasuryRemedy),
    ...fromReports([watchPauses(view, node.nowMs)], { ok, warning, failed }, pauseRemedy),
    ...checkPrice(view, node.nowMs),
    ...checkPeg(view, node.nowMs),
  ];
}

/** Checks whether the program uses the USDC and the prices that everybody uses on its public network. */
async function checkNetwork(config: ProgramConfig, { network }: Partial<Config>): Promise<Finding[]> {
  const usdcMint = network && usdcMintOf(network);
  if (!usdcMint) return [];
  const findings: Finding[] = [];
  if (config.usdcMint !== usdcMint) {
    findings.push(
      failed(
        `The program's mint of USDC is ${config.usdcMint}, but that of ${network} is ${usdcMint}.`,
        'A program keeps its mint: deploy another one, and initialize it with this mint.',
      ),
    );
  }
  const pyth = await pythPrices();
  const { settings } = config;
  for (const [price, account, feed, names] of [
    ['XAU/USD', 'priceAccount', 'feedId', ['price-account', 'feed-id']],
    ['USDC/USD', 'usdcPriceAccount', 'usdcFeedId', ['usdc-price-account', 'usdc-feed-id']],
  ] as const) {
    const isPyth =
      settings[account] === pyth[account] &&
      settings.priceOwner === pyth.priceOwner &&
      Buffer.from(settings[feed]).equals(Buffer.from(pyth[feed]));
    if (isPyth) continue;
    findings.push(
      ofPrice.warning(
        `The program takes the price from ${settings[account]}, which is not Pyth's account of ${price}, ${pyth[account]}.`,
        `Unless that is intended: karat chain propose --${names[0]} ${pyth[account]} --${names[1]} ${Buffer.from(pyth[feed]).toString('hex')} --price-owner ${pyth.priceOwner}.`,
      ),
    );
  }
  return findings;
}

/** How the built program names itself for those who look into it; see program/src/lib.rs. */
const ownName = Buffer.from('=======BEGIN SECURITY.TXT V1=======\0name\0Karat\0');

/** Returns whether the code at an address is of some version of Karat's program; undefined where it cannot be read. */
async function isKarat({ rpc }: RespondingNode, program: Address): Promise<boolean | undefined> {
  try {
    const found = await readProgram({ rpc }, program);
    return found !== undefined && Buffer.from(found.code).includes(ownName);
  } catch (error) {
    // Of another loader, whose programs cannot be upgraded.
    return error instanceof AppError && error.code === 'transition_not_allowed' ? false : undefined;
  }
}

async function checkDeployed({ rpc }: RespondingNode, program: Address): Promise<Finding | undefined> {
  const { value } = await rpc
    .getAccountInfo(program, { commitment: 'confirmed', encoding: 'base64' })
    .send({ abortSignal: AbortSignal.timeout(withinMs) });
  if (value?.executable) return undefined;
  return failed(
    `There is no program at ${program} on this chain.`,
    'Correct KARAT_PROGRAM_ID or KARAT_RPC_URL, or run karat chain deploy; --help shows its options.',
  );
}

async function unreadable(error: unknown, node: RespondingNode, program: Address): Promise<Finding> {
  const known = error instanceof NoConfigError ? await isKarat(node, program) : undefined;
  if (known === true) {
    return failed('The program is not initialized.', 'Run karat chain init; its --help shows its options.');
  }
  if (known === false) {
    return failed(
      `The program at ${program} is not Karat's program.`,
      'Correct KARAT_PROGRAM_ID: it is the address of the key that the program was deployed with.',
    );
  }
  return failed(
    'The configuration of the program cannot be read.',
    'Try again; if the error persists, the versions of the program and of this service differ.',
  );
}

/**
 * Checks whether there is a price to quote at, by both clocks that judge it: this machine's, as the service and `GET
 * /ready` do, and the chain's, as the program does.
 */
function checkPrice(view: KeeperView, chainMs: number): Finding[] {
  const { price, config } = view;
  if (!price) return fromReports([watchPrice(view, chainMs)], ofPrice, priceRemedy);
  for (const nowMs of [Date.now(), chainMs]) {
    const judged = judgePrice(price, config, BigInt(Math.floor(nowMs / 1_000)));
    if (!('fault' in judged)) continue;
    const closed = config.marketState !== MarketState.Open && config.settings.maxAgeClosed === 0;
    return [closed ? ofPrice.warning(judged.fault, closedRemedy) : ofPrice.failed(judged.fault, priceRemedy)];
  }
  return fromReports([watchPrice(view, chainMs)], ofPrice, priceRemedy);
}

/** Checks whether gold can be bought: sales of it by users, and redemptions, do not need the price of USDC. */
function checkPeg({ usdcPrice, config }: KeeperView, chainMs: number): Finding[] {
  const fault = usdcPrice
    ? pegFaultOf(usdcPrice, config, BigInt(Math.floor(chainMs / 1_000)))?.fault
    : 'The account with the price of USDC does not exist.';
  return fault === undefined ? [] : [ofPrice.warning(fault, pegRemedy)];
}

/** Checks whether the program knows the keys of this process. */
function checkRoles(
  { admin: programAdmin, hotKeys, settings }: ProgramConfig,
  { service, admin, operations, guardian, market }: Keys,
): Finding[] {
  const findings: Finding[] = [];
  if (service && !hotKeys.serviceSigners.includes(service.address)) {
    const known = hotKeys.serviceSigners.filter((key) => key !== noKey).join(', ');
    findings.push(
      ofKeys.failed(
        `The program does not know the service signer ${service.address}: it would refuse every quote. It knows ${known}.`,
        `Set KARAT_SERVICE_SIGNER to one of its keys, or run karat chain replace-key --role service --old none --new ${service.address}.`,
      ),
    );
  }
  for (const [name, key, expected, effect] of [
    ['ADMIN', admin, programAdmin, 'Resumptions and changes of settings would be refused'],
    [
      'OPERATIONS',
      operations,
      hotKeys.operations,
      'Changes of partners on chain, refunds and burns would be refused',
    ],
    ['GUARDIAN', guardian, settings.guardian, 'Pauses would be refused'],
    ['MARKET', market, hotKeys.market, 'The state of the market would not be updated'],
  ] as const) {
    if (key && key.address !== expected) {
      findings.push(
        ofKeys.failed(
          `KARAT_${name}_SIGNER holds ${key.address}, but the program's key is ${expected}. ${effect}.`,
          `Set KARAT_${name}_SIGNER to the key of ${expected}, or unset it.`,
        ),
      );
    }
  }
  for (const [name, key, effect] of [
    ['SERVICE', service, 'this process cannot serve partners; all others can'],
    ['GUARDIAN', guardian, 'this process cannot pause'],
    ['MARKET', market, 'this process cannot update the state of the market'],
    ['ADMIN', admin, 'resumptions and changes of settings are returned unsigned'],
    ['OPERATIONS', operations, 'changes of partners on chain, refunds and burns are returned unsigned'],
  ] as const) {
    if (!key) findings.push(ofKeys.ok(`KARAT_${name}_SIGNER is not set: ${effect}.`));
  }
  return findings;
}

const solRemedy = 'Send it SOL: it pays the fee of every transaction that it signs first.';
const treasuryRemedy = "Send tokens to the treasury's account, or lower KARAT_MIN_TREASURY_….";
const pauseRemedy = 'Run karat chain resume once its cause is gone.';
const closedRemedy =
  'Quotes resume when the market opens; karat chain propose --max-age-closed allows them earlier.';
const priceRemedy =
  "Check the oracle's publisher; without a price that the program accepts there are no quotes.";

const pegRemedy =
  'Buys are refused until the price of USDC is fresh and at its lowest accepted price or above (min_usdc_price); sells and redemptions go on.';

/** Returns what the keeper would report, as findings. */
function fromReports(
  reports: KeeperReport[],
  say: Pick<ReturnType<typeof findingsOf>, 'ok' | 'warning' | 'failed'>,
  remedy: string,
): Finding[] {
  return reports.map(({ status, detail }) => {
    if (status === 'ok') return say.ok(detail);
    return status === 'warning' ? say.warning(detail, remedy) : say.failed(detail, remedy);
  });
}
