// A wallet for trying things out, part of the sandbox alone: its key comes from the sandbox, which seeded it. Anyone who can
// open the page has the key; never build a real wallet this way. It registers itself as wallets do (Wallet Standard).

const { address, key } = await (await fetch('/sandbox-wallet.json')).json();

/** What a key file's seed needs in front of it to be PKCS #8. */
const pkcs8 = [
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];
const publicKey = Uint8Array.from(key.slice(32));
const privateKey = await crypto.subtle.importKey(
  'pkcs8',
  Uint8Array.from([...pkcs8, ...key.slice(0, 32)]),
  'Ed25519',
  false,
  ['sign'],
);
const sign = async (bytes) => new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, bytes));

/** Puts this wallet's signature into a transaction: a count of signatures, these, and the message. */
async function signTransaction(transaction) {
  const count = transaction[0];
  const message = transaction.slice(1 + 64 * count);
  // A version, if there is one; three counts; the number of addresses; these.
  const header = message[0] & 0x80 ? 1 : 0;
  const isOwn = (at) => publicKey.every((byte, place) => message[header + 4 + 32 * at + place] === byte);
  const at = Array.from({ length: count }, (_, place) => place).find(isOwn);
  if (at === undefined) throw new Error('This transaction needs no signature of the sandbox wallet.');
  const signed = transaction.slice();
  signed.set(await sign(message), 1 + 64 * at);
  return signed;
}

const style = new CSSStyleSheet();
style.replaceSync(`
  dialog { width: min(24rem, calc(100vw - 2rem)); padding: 1.5rem; border: 0; border-radius: 1rem;
    font: 17px/1.5 system-ui, sans-serif; background: var(--card); color: var(--ink); }
  dialog::backdrop { background: rgb(0 0 0 / 0.5); }
  h2 { margin: 0 0 0.5rem; font-size: 1.125rem; }
  p { margin: 0 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.9375rem; color: var(--muted); }
  div { display: grid; grid-template-columns: 1fr 1fr; gap: 0.75rem; }
  button { min-height: 3rem; border: 1px solid var(--border); border-radius: 0.6rem; background: var(--card); color: inherit;
    font: inherit; cursor: pointer; }
  .approve { border-color: var(--ink); background: var(--ink); color: var(--card); font-weight: 600; }
`);
const host = document.body.appendChild(document.createElement('div'));
const root = host.attachShadow({ mode: 'open' });
root.adoptedStyleSheets = [style];

/** Asks the person in front of the page. Throws when they reject. */
function approval(title, text) {
  return new Promise((resolve, reject) => {
    const dialog = document.createElement('dialog');
    // A wallet speaks its own language.
    Object.assign(dialog, { lang: 'en', dir: 'ltr' });
    dialog.setAttribute('aria-label', 'Sandbox wallet');
    const add = (parent, tag, text, more = {}) =>
      parent.appendChild(Object.assign(document.createElement(tag), { textContent: text, ...more }));
    add(dialog, 'h2', title);
    add(dialog, 'p', text);
    const row = add(dialog, 'div', '');
    add(row, 'button', 'Reject', { onclick: () => dialog.close() });
    add(row, 'button', 'Approve', { className: 'approve', onclick: () => dialog.close('approved') });
    dialog.onclose = () => {
      dialog.remove();
      if (dialog.returnValue === 'approved') resolve();
      else reject(new Error('You rejected it in your wallet.'));
    };
    root.append(dialog);
    dialog.showModal();
  });
}

const chains = ['solana:localnet'];
const features = ['solana:signTransaction', 'solana:signMessage'];
const account = Object.freeze({ address, publicKey, chains, features });
const icon = `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" rx="2" fill="#1d1a16"/></svg>')}`;

const wallet = Object.freeze({
  version: '1.0.0',
  name: 'Sandbox wallet',
  icon,
  chains,
  accounts: [account],
  features: {
    'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
    'standard:events': { version: '1.0.0', on: () => () => {} },
    'solana:signMessage': {
      version: '1.1.0',
      signMessage: async (...inputs) => {
        const outputs = [];
        for (const { message } of inputs) {
          await approval('Sign this message?', new TextDecoder().decode(message));
          outputs.push({ signedMessage: message, signature: await sign(message) });
        }
        return outputs;
      },
    },
    'solana:signTransaction': {
      version: '1.0.0',
      supportedTransactionVersions: ['legacy', 0],
      signTransaction: async (...inputs) => {
        const outputs = [];
        for (const { transaction } of inputs) {
          const text = `${location.host} asks for your signature of a transaction on the chain of the sandbox (${transaction.length} bytes).`;
          await approval('Sign this transaction?', text);
          outputs.push({ signedTransaction: await signTransaction(transaction) });
        }
        return outputs;
      },
    },
  },
});

// Either side may be there first.
const announce = ({ register }) => register(wallet);
window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: announce }));
window.addEventListener('wallet-standard:app-ready', ({ detail }) => announce(detail));
