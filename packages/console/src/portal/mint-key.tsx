import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../api/client';
import { useChange, useLive } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { keys } from '../text/portal/keys';
import { ActionButton, ChangeState } from '../ui/action';
import { formatTime, shorten } from '../ui/format';
import { StepList } from '../ui/parts';
import { ShownOnce } from '../ui/shown-once';
import { explain, Loaded } from '../ui/states';
import { TextBlock } from '../ui/text-block';
import { api, type Schemas, useMe } from './api';
import { type BrowserWallet, connect, sign, useBrowserWallets } from './browser-wallets';
import { readSignature, toBase64 } from './signature-text';

const t = keys.create;

/** What is to be signed for a key, and by whom. */
interface Asked {
  name: string;
  wallet: string;
  challenge: Schemas['Challenge'];
}
type Made = Schemas['MintedApiKey'];

/** Makes a key: its name, a signature of a wallet of the partner, and the key, which is shown once. */
export function MintKey({ onClose }: { onClose: () => void }) {
  const [asked, setAsked] = useState<Asked>();
  const [made, setMade] = useState<Made>();
  if (made)
    return (
      <ShownOnce
        title={fill(t.made, { name: asked?.name ?? '' })}
        lead={t.madeLead}
        label={t.label}
        value={made.api_key}
        copy={t.copy}
        close={t.close}
        onClose={onClose}
      />
    );
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={t.title}
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <StepList names={Object.values(t.steps)} reached={asked ? 1 : 0} label={t.stepsLabel} />
      {asked ? (
        <Sign asked={asked} again={() => setAsked(undefined)} onMade={setMade} />
      ) : (
        <Begin onAsked={setAsked} />
      )}
    </Modal>
  );
}

/** The first step: what the key is called, and which wallet signs. */
function Begin({ onAsked }: { onAsked: (asked: Asked) => void }) {
  const me = useLive(['partner', 'own'], () => call(api.GET('/v1/me')));
  return <Loaded of={me}>{({ wallets }) => <BeginForm wallets={wallets} onAsked={onAsked} />}</Loaded>;
}

function BeginForm({ wallets, onAsked }: { wallets: string[]; onAsked: (asked: Asked) => void }) {
  const { partner_id } = useMe();
  const [name, setName] = useState('');
  const [wallet, setWallet] = useState(wallets[0] ?? null);
  const ask = useChange(
    async (body: { wallet_address: string; partner_id: string }) => ({
      name: name.trim(),
      wallet: body.wallet_address,
      challenge: await call(api.POST('/v1/auth/challenge', { body })),
    }),
    onAsked,
  );
  if (wallet === null) return <Text mt="md">{t.noWallets}</Text>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate({ wallet_address: wallet, partner_id });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md" mt="md">
        <Text>{t.lead}</Text>
        <TextInput
          label={t.name}
          description={t.nameHint}
          required
          withAsterisk={false}
          maxLength={100}
          data-autofocus
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <Select
          label={t.wallet}
          description={t.walletHint}
          allowDeselect={false}
          data={wallets.map((value) => ({ value, label: shorten(value, 12, 8) }))}
          value={wallet}
          onChange={(value) => value && setWallet(value)}
        />
        <ChangeState error={ask.error} busy={ask.isPending} />
        <Group justify="flex-end">
          <ActionButton type="submit" loading={ask.isPending} disabled={name.trim() === ''}>
            {t.start}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  );
}

/** The second step: the signature, by a wallet of this browser or from elsewhere. */
function Sign({
  asked: { name, wallet, challenge },
  again,
  onMade,
}: {
  asked: Asked;
  again: () => void;
  onMade: (made: Made) => void;
}) {
  const mint = useChange(
    (signature: string) =>
      call(
        api.POST('/v1/auth/api-key', {
          body: { challenge_id: challenge.challenge_id, signature, key_name: name },
        }),
      ),
    onMade,
  );
  return (
    <Stack gap="md" mt="md">
      <Text>{t.sign}</Text>
      <TextBlock label={t.sign} value={challenge.message} copy={t.message} />
      <Text size="sm" c="dimmed">
        {fill(t.expires, { at: formatTime(challenge.expires_at) })}
      </Text>
      <ByBrowserWallet
        address={wallet}
        message={challenge.message}
        busy={mint.isPending}
        onSigned={(signature) => mint.mutate(signature)}
      />
      <Elsewhere
        message={challenge.message}
        busy={mint.isPending}
        onSigned={(signature) => mint.mutate(signature)}
      />
      <ChangeState error={mint.error} busy={mint.isPending} />
      {mint.error ? (
        <Group justify="flex-end">
          <Button variant="default" onClick={again}>
            {text.common.retry}
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}

function ByBrowserWallet({
  address,
  message,
  busy,
  onSigned,
}: {
  address: string;
  message: string;
  busy: boolean;
  onSigned: (signature: string) => void;
}) {
  const wallets = useBrowserWallets();
  const [failure, setFailure] = useState<string>();
  const start = async (wallet: BrowserWallet) => {
    setFailure(undefined);
    try {
      onSigned(toBase64(await sign(wallet, await connect(wallet, address), message)));
    } catch (error) {
      setFailure(explain(error));
    }
  };
  return (
    <section aria-label={t.withBrowser}>
      <Text fw={600} mb="xs">
        {t.withBrowser}
      </Text>
      {wallets.length === 0 ? <Text c="dimmed">{t.noBrowserWallet}</Text> : null}
      <Group gap="xs">
        {wallets.map((wallet) => (
          <ActionButton key={wallet.name} loading={busy} onClick={() => void start(wallet)}>
            {fill(t.signWith, { wallet: wallet.name })}
          </ActionButton>
        ))}
      </Group>
      {failure ? (
        <Alert color="red" variant="light" role="alert" mt="sm">
          {failure}
        </Alert>
      ) : null}
    </section>
  );
}

/** What signs a message where a wallet's key file is. */
const solanaCommand = (message: string) => `solana sign-offchain-message '${message}' -k wallet.json`;
const nodeCommand = (message: string) =>
  `node --input-type=module -e "import { readFileSync } from 'node:fs'; import { createKeyPairFromBytes, signBytes } from '@solana/kit'; const { privateKey } = await createKeyPairFromBytes(Uint8Array.from(JSON.parse(readFileSync('wallet.json', 'utf8')))); console.log(Buffer.from(await signBytes(privateKey, new TextEncoder().encode('${message}'))).toString('base64'))"`;

function Elsewhere({
  message,
  busy,
  onSigned,
}: {
  message: string;
  busy: boolean;
  onSigned: (signature: string) => void;
}) {
  const [typed, setTyped] = useState('');
  const [isBad, setIsBad] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const signature = readSignature(typed);
    setIsBad(!signature);
    if (signature) onSigned(signature);
  };
  return (
    <section aria-label={t.elsewhere}>
      <Text fw={600}>{t.elsewhere}</Text>
      <Text size="sm" c="dimmed" mb="sm">
        {t.elsewhereLead}
      </Text>
      <TextBlock label={t.solana} value={solanaCommand(message)} copy={t.copyCommand} />
      <details className="event">
        <summary>{t.withoutSolana}</summary>
        <TextBlock label={t.withoutSolana} value={nodeCommand(message)} copy={t.copyCommand} />
      </details>
      <form onSubmit={submit}>
        <TextInput
          label={t.signature}
          description={t.signatureHint}
          error={isBad ? t.badSignature : undefined}
          autoComplete="off"
          spellCheck={false}
          mt="sm"
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
        />
        <Group justify="flex-end" mt="sm">
          <ActionButton type="submit" variant="default" loading={busy} disabled={typed.trim() === ''}>
            {t.finish}
          </ActionButton>
        </Group>
      </form>
    </section>
  );
}
