import { getMintSize } from '@solana-program/token';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { pythPrices, usdcMintOf } from '../../src/chain/admin/seed.js';
import { type LyingNode, startLyingNode } from '../indexer/lying-node.js';
import { kycKeyFile } from '../kyc-key.js';
import { emptyDeployment } from './deployment.js';
import { callKarat, type Env, runKarat } from './run-karat.js';

/** A node that claims to be on any network, which a real one of this machine cannot. */
let deployment: Awaited<ReturnType<typeof emptyDeployment>>;
let node: LyingNode;
let env: Env;

const patience = { timeout: 120_000 };
const mainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const devnet = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkPZBnG';

beforeAll(async () => {
  deployment = await emptyDeployment();
  node = await startLyingNode(deployment.node.rpcUrl);
  env = {
    ...deployment.env,
    KARAT_RPC_URL: node.url,
    KARAT_PICKUP_SECRET: 'p'.repeat(32),
    KARAT_KYC_KEY: kycKeyFile(),
  };
  expect(await callKarat(['migrate'], env)).toEqual({ code: 0, stdout: '', stderr: '' });
}, patience.timeout);
afterEach(() => {
  node.lie = undefined;
});
afterAll(async () => {
  await node?.close();
  await deployment?.close();
});

function claimGenesis(hash: string) {
  node.lie = async ({ method }, ask) => (method === 'getGenesisHash' ? hash : ask());
}

test('processes and commands refuse a node on another network than KARAT_NETWORK', patience, async () => {
  const other = (network: string, actual: string) =>
    expect.stringMatching(
      new RegExp(
        `^KARAT_NETWORK is ${network}, but the Solana node is on another chain \\(${actual}\\): its genesis hash is \\w+\\. Correct KARAT_NETWORK or KARAT_RPC_URL\\.\\n$`,
      ),
    );
  expect(await runKarat(['serve,index,keep'], { ...env, KARAT_NETWORK: 'mainnet-beta' })).toEqual({
    code: 1,
    stdout: '',
    stderr: other('mainnet-beta', 'not a public network'),
  });
  const status = (network: string) => callKarat(['chain', 'status'], { ...env, KARAT_NETWORK: network });
  expect((await status('devnet')).stderr).toEqual(other('devnet', 'not a public network'));
  claimGenesis(mainnet);
  expect((await status('localnet')).stderr).toEqual(other('localnet', 'mainnet-beta'));
  claimGenesis(devnet);
  expect((await status('devnet')).stderr).toMatch(/^service_unavailable: /);
  expect((await status('mainnet')).stderr).toBe(
    'KARAT_NETWORK must be one of mainnet-beta, devnet, localnet\n',
  );
});

test('chain init takes the mint of USDC of the network', patience, async () => {
  const metadata = ['--gold-name', 'Karat Gold', '--gold-symbol', 'GOLD', '--gold-issuer', 'Karat Limited'];
  const gold = ['--gold-mint', 'new', ...metadata, '--gold-uri', 'https://karat.test/gold.json'];
  const limits = ['usdc', 'gold'].flatMap((token) => [`--daily-outflow-${token}`, '1000']);
  limits.push('--daily-mint', '1000');
  const init = (network: string, ...more: string[]) =>
    callKarat(['chain', 'init', ...gold, ...limits, ...more], { ...env, KARAT_NETWORK: network });
  const missing =
    '--usdc-mint ADDRESS is missing (or KARAT_INIT_USDC_MINT in the environment); KARAT_NETWORK gives it on mainnet-beta and devnet\n';
  expect(await init('localnet')).toMatchObject({ code: 2, stderr: missing });
  expect(await init('mainnet-beta', '--usdc-mint', 'new')).toMatchObject({
    code: 2,
    stderr: `--usdc-mint must be ${usdcMintOf('mainnet-beta')}, the mint of USDC on mainnet-beta, not "new"\n`,
  });

  const usdc = usdcMintOf('devnet') ?? '';
  const data = new Uint8Array(getMintSize());
  const [decimals, isInitialized] = [44, 45];
  data[decimals] = 6;
  data[isInitialized] = 1;
  const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  deployment.node.setAccount(usdc, { lamports: 1_461_600n, owner: tokenProgram, data, executable: false });
  claimGenesis(devnet);
  const made = await init('devnet');
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(JSON.parse(made.stdout)).toMatchObject({ usdc_mint: usdc });
  const { stdout } = await callKarat(['chain', 'settings'], { ...env, KARAT_NETWORK: 'devnet' });
  const pyth = await pythPrices();
  expect(JSON.parse(stdout).settings).toMatchObject({
    price_account: pyth.priceAccount,
    price_owner: pyth.priceOwner,
    feed_id: Buffer.from(pyth.feedId).toString('hex'),
    usdc_price_account: pyth.usdcPriceAccount,
    usdc_feed_id: Buffer.from(pyth.usdcFeedId).toString('hex'),
  });
});

test('the doctor compares node, mint and price with the network', patience, async () => {
  const doctor = async (network: string) => {
    const { stdout } = await callKarat(['doctor', '--output', 'json'], { ...env, KARAT_NETWORK: network });
    return (JSON.parse(stdout).findings as { says: string }[]).map(({ says }) => says);
  };
  claimGenesis(devnet);
  const mint = (network: string) => expect.stringContaining(`but that of ${network} is`);
  expect(await doctor('devnet')).not.toContainEqual(mint('devnet'));
  const [elsewhere, usdc] = [expect.stringContaining('KARAT_NETWORK is mainnet-beta'), mint('mainnet-beta')];
  const found = await doctor('mainnet-beta');
  expect([found, found]).toEqual([expect.arrayContaining([elsewhere]), expect.arrayContaining([usdc])]);
  const price = expect.stringContaining("which is not Pyth's account of XAU/USD");
  expect(found).not.toContainEqual(price);
  const usdcPrice = expect.stringContaining("which is not Pyth's account of USDC/USD");
  expect(found).not.toContainEqual(usdcPrice);
  const { address } = deployment.keys.spare;
  for (const args of [['propose', '--price-account', address, '--usdc-price-account', address], ['apply']]) {
    const run = await callKarat(['chain', ...args], { ...env, KARAT_NETWORK: 'devnet' });
    expect([run.code, run.stderr]).toEqual([0, '']);
    deployment.node.warp({ seconds: 172_800 });
  }
  expect(await doctor('devnet')).toEqual(expect.arrayContaining([price, usdcPrice]));
});
