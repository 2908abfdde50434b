/** The languages of samples. */
export type Lang = 'typescript' | 'python' | 'go';

/** What stands in a sample in place of what its program has. */
export interface Own {
  baseUrl: string;
  partnerId: string;
  wallet: string | undefined;
  userId: string | undefined;
}

/** Where a server would receive webhooks: this machine's is for a sandbox alone. */
const webhookUrlFor = (baseUrl: string) =>
  /^https?:\/\/(localhost|127\.0\.0\.1)\b/.test(baseUrl)
    ? 'http://127.0.0.1:9000/karat'
    : 'https://example.com/karat';

/** How a language makes a program of a sample: one that runs as it is pasted, with wallets in key files and the key in a variable. */
interface Language {
  declare: (name: string, value: string) => string;
  /** The names that the sample's program gives to our values. */
  names: Record<'baseUrl' | 'partnerId' | 'userId' | 'url', string>;
  replace: (own: Own) => [RegExp, string | undefined][];
  /** What a sample needs of its program, each where the code has its name. */
  needs: [name: RegExp, code: string][];
  /** Shows what a sample returns only once, or what the next one needs. */
  shown: [made: RegExp, code: string][];
  /** What imports are needed for the code. */
  imports: [name: RegExp, code: string][];
  join: (imports: string[], setup: string[], code: string) => string;
}

const inOrder = (imports: string[], setup: string[], code: string) =>
  [imports.join('\n'), setup.join('\n'), code].filter((part) => part !== '').join('\n\n');

const languages: Record<Lang, Language> = {
  typescript: {
    declare: (name, value) => `const ${name} = '${value}';`,
    names: { baseUrl: 'baseUrl', partnerId: 'partnerId', userId: 'service_user_id', url: 'url' },
    replace: ({ wallet }) => [
      [/\{ apiKey, baseUrl \}/, '{ apiKey: process.env.KARAT_API_KEY, baseUrl }'],
      [/partner\.address/, wallet && `'${wallet}'`],
    ],
    needs: [
      [
        /\b(partner|customer)\b[.,\]]/,
        "const walletOf = (file) => createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(readFileSync(file, 'utf8'))));",
      ],
      [/\bpartner\b[.,\]]/, "const partner = await walletOf('wallet.json');"],
      [/\bcustomer\b[.,\]]/, "const customer = await walletOf('customer.json');"],
    ],
    shown: [
      [/api_key: apiKey/, 'console.log(apiKey);'],
      [/\{ service_user_id \} =/, 'console.log(service_user_id);'],
      [/endpoint_id, secret/, 'console.log(secret);'],
    ],
    imports: [
      [/readFileSync/, "import { readFileSync } from 'node:fs';"],
      [/signBytes/, "import { createKeyPairSignerFromBytes, signBytes } from '@solana/kit';"],
      [/^(?!.*signBytes).*walletOf/s, "import { createKeyPairSignerFromBytes } from '@solana/kit';"],
    ],
    join: inOrder,
  },
  python: {
    declare: (name, value) => `${name} = ${JSON.stringify(value)}`,
    names: { baseUrl: 'base_url', partnerId: 'partner_id', userId: 'service_user_id', url: 'url' },
    replace: ({ wallet }) => [
      [/minted\.api_key/, 'os.environ["KARAT_API_KEY"]'],
      [/str\(partner\.pubkey\(\)\)/, wallet && `"${wallet}"`],
    ],
    needs: [
      [/\bpartner\b[.,\]]/, 'partner = Keypair.from_json(open("wallet.json").read())'],
      [/\bcustomer\b[.,\]]/, 'customer = Keypair.from_json(open("customer.json").read())'],
    ],
    shown: [
      [/^minted = /m, 'print(minted.api_key)'],
      [/^service_user_id = created/m, 'print(service_user_id)'],
      [/^endpoint = /m, 'print(endpoint.secret)'],
    ],
    imports: [
      [/os\.environ/, 'import os'],
      [/\bDecimal\(/, 'from decimal import Decimal'],
      [/Keypair/, 'from solders.keypair import Keypair'],
    ],
    join: inOrder,
  },
  go: {
    declare: (name, value) => `${name} := ${JSON.stringify(value)}`,
    names: { baseUrl: 'baseURL', partnerId: 'partnerID', userId: 'userID', url: 'url' },
    replace: () => [
      [/minted\.APIKey/, 'os.Getenv("KARAT_API_KEY")'],
      [/user\.ServiceUserID/g, 'userID'],
      [/fmt\.Sprintf\("[^"]*", listener\.Addr\(\)\)/, 'url'],
    ],
    needs: [
      [/\bctx\b/, 'ctx := context.Background()'],
      [/\bpartner\b[.,)}]/, 'partner := karat.NewWallet(must(karat.ReadKeyFile("wallet.json")))'],
      [/\bcustomer\b[.,)}]/, 'customer := karat.NewWallet(must(karat.ReadKeyFile("customer.json")))'],
    ],
    shown: [
      [/^minted := /m, 'fmt.Println(minted.APIKey)'],
      [/^user := /m, 'fmt.Println(user.ServiceUserID)'],
      [/^endpoint := /m, 'fmt.Println(endpoint.Secret)'],
    ],
    imports: [
      [/context\./, '"context"'],
      [/fmt\./, '"fmt"'],
      [/must\(/, '"log"'],
      [/os\./, '"os"'],
    ],
    join(imports, setup, code) {
      const own = imports
        .filter((one) => one.startsWith('import '))
        .map((one) => one.slice('import '.length));
      const standard = imports.filter((one) => !one.startsWith('import '));
      const indented = [...setup, '', ...code.split('\n')].map((line) => (line === '' ? '' : `\t${line}`));
      const must =
        '// must returns the value of a call, and ends the program with its error.\n' +
        'func must[Value any](value Value, err error) Value {\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\treturn value\n}';
      return [
        'package main',
        `import (\n${standard.map((one) => `\t${one}\n`).join('')}\n${own.map((one) => `\t${one}\n`).join('')})`,
        `func main() {\n${indented.join('\n')}\n}`,
        must,
      ].join('\n\n');
    },
  },
};

/**
 * Returns a sample as a program that runs as it is pasted, with the partner's own ids. The wallets are key files, as the command
 * line of Solana writes them; the API key is in `KARAT_API_KEY`.
 */
export function fillSample(lang: Lang, source: string, own: Own): string {
  const { declare, names, replace, needs, shown, imports, join } = languages[lang];
  const filled = replace(own).reduce(
    (code, [place, value]) => (value === undefined ? code : code.replace(place, value)),
    source,
  );
  const end = filled.indexOf('\n\n');
  const body = [
    filled.slice(end + 2),
    ...shown.filter(([made]) => made.test(filled)).map(([, code]) => code),
  ].join('\n');
  const values = { ...own, userId: own.userId ?? 'gu_…', url: webhookUrlFor(own.baseUrl) };
  const declared = (Object.keys(names) as (keyof typeof names)[]).flatMap((kind) => {
    const name = names[kind];
    const isUsed = new RegExp(`\\b${name}\\b`).test(body);
    const isMade = new RegExp(`\\b${name}( \\}|)? :?= `).test(body);
    return isUsed && !isMade ? [declare(name, values[kind])] : [];
  });
  const setup = [...declared, ...needs.filter(([name]) => name.test(body)).map(([, code]) => code)];
  const all = [...setup, body].join('\n');
  const needed = imports.filter(([name]) => name.test(all)).map(([, code]) => code);
  return join([...needed, filled.slice(0, end)], setup, body);
}
