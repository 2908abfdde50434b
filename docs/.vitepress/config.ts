import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { defineConfig, type HeadConfig } from 'vitepress';
import { regionOf } from '../../scripts/regions.mjs';

/** What the site has, in its order: the sidebar and `llms.txt` are made of it. */
const sections = [
  {
    text: 'For partners',
    items: [
      {
        text: 'Partner guide',
        link: '/partner-guide',
        about: 'the partner API in TypeScript, Python, Go and curl, from a key to a bar of gold',
      },
      {
        text: 'A first trade',
        link: '/first-trade',
        about: 'from a clone to your first trade in JavaScript, Python or Go',
      },
      {
        text: 'The sandbox in a container',
        link: '/sandbox',
        about: 'Docker instead of Node: image, Compose service, CI, webhooks',
      },
      { text: 'SDK', link: '/sdk', about: 'the library for TypeScript and JavaScript' },
      { text: 'SDK for Go', link: '/sdk-go', about: 'the library for Go' },
      { text: 'SDK for Python', link: '/sdk-python', about: 'the library for Python' },
      {
        text: 'Statements and receipts',
        link: '/statements',
        about: 'a month as JSON, table or paper, and how to verify it',
      },
      { text: 'The shop', link: '/shop', about: 'a web shop on the SDK, with a wallet in the browser' },
      {
        text: 'The request log',
        link: '/request-log',
        about: 'why a request failed: what is kept of yours, for how long, and what is hidden',
      },
      { text: 'Error codes', link: '/errors/', about: 'every code that an error can have, and what to do' },
      {
        text: 'Reasons of errors',
        link: '/reasons/',
        about: 'every reason that an error can have, and what to do',
      },
      {
        text: 'Tradebook guide',
        link: '/tradebook-guide',
        about: 'executives, purchases for reserves, withdrawals',
      },
      {
        text: 'Transactions',
        link: '/transactions',
        about: 'what wallets sign, guards that they add, repeated submits',
      },
      { text: 'Changes', link: '/changes', about: 'what changed in which version' },
    ],
  },
  {
    text: 'For everybody',
    items: [
      {
        text: 'Reserves',
        link: '/reserves',
        about: 'gold against tokens: verify it here, what is proven, what is not',
      },
    ],
  },
  {
    text: 'For operators',
    items: [
      { text: 'The console', link: '/console', about: 'the pages for the people who run Karat' },
      {
        text: 'Partner portal',
        link: '/portal',
        about: 'the pages for the people of a partner: from an invitation to a first trade',
      },
      { text: 'Operator guide', link: '/operator-guide', about: 'the operator API with curl' },
      { text: 'Going live', link: '/going-live', about: 'from nothing to the first trade on mainnet' },
      { text: 'Operations', link: '/operations/', about: 'deploying, settings, alerts, backups, drills' },
      {
        text: 'Image, units, chart',
        link: '/operations/deploy',
        about: 'Docker, systemd, Compose and Kubernetes',
      },
      {
        text: 'A cluster',
        link: '/operations/cluster',
        about: 'replication and failover, from packages of Debian',
      },
      { text: 'A game day', link: '/operations/game-day', about: 'what partners see when its parts fail' },
      {
        text: 'Torture',
        link: '/operations/torture',
        about: 'random faults and adversaries, and what must hold',
      },
      { text: 'Open points', link: '/operations/open-points', about: 'what a reviewer would still refuse' },
      {
        text: 'Single sign-on',
        link: '/operations/single-sign-on',
        about: 'operators of an identity provider, by OpenID Connect',
      },
      { text: 'The keeper', link: '/operations/keeper', about: 'what runs by itself' },
      { text: 'Capacity', link: '/operations/capacity', about: 'what ten and a hundred times as much takes' },
      { text: 'Metrics', link: '/operations/metrics', about: 'every metric and alert' },
      {
        text: 'Dead letters',
        link: '/operations/dead-letters',
        about: 'what could not be recorded, and how chain and records are compared',
      },
      { text: 'Performance', link: '/performance', about: 'how quick it is, and what limits it' },
      { text: 'Scale', link: '/scale', about: 'what gives way at a thousand times the trades' },
    ],
  },
  {
    text: 'How it works',
    items: [
      { text: 'Architecture', link: '/architecture', about: 'a walk through the code' },
      {
        text: 'The program',
        link: '/program',
        about: 'the program on chain: accounts, instructions, events',
      },
      { text: 'Indexing', link: '/indexing', about: 'how records follow the chain' },
      { text: 'Several processes', link: '/processes', about: 'what holds with N processes and two nodes' },
      { text: 'Dependencies', link: '/dependencies', about: 'every package, and what else was considered' },
      {
        text: 'Conformance',
        link: '/conformance',
        about: 'every statement of the specification, and its test',
      },
    ],
  },
];

const references = [
  { text: 'Partner API', link: '/docs' },
  { text: 'Tradebook API', link: '/api/docs' },
];

/** Folders with a page for each code and each reason of errors. */
const errorFolders = { errors: 'Error codes', reasons: 'Reasons of errors' };

/** Files that pages link to, and that programs read. */
const files = [
  'vectors',
  'operations/alertmanager.yml',
  'operations/alerts.yml',
  'operations/alerts.test.yml',
  'operations/dashboard.json',
];

/** Returns the anchor that GitHub gives a heading: links to it work on both. */
const slugify = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

/** Returns a page with the code that it includes from files, each with its language as the title. */
function withCode(folder: string, page: string): string {
  const included = /^<<< ([^\s#{]+)(?:#([\w-]+))?(?:\{\w+\})? (\[\w+\])$/gm;
  return page.replace(included, (_all, file, region, title) => {
    const program = readFileSync(join(folder, file), 'utf8');
    const code = region === undefined ? program.trimEnd() : regionOf(program, region);
    return `\`\`\`${extname(file).slice(1)} ${title}\n${code}\n\`\`\`\n`;
  });
}

const icon: HeadConfig = ['link', { rel: 'icon', href: 'data:,' }];

export default defineConfig({
  title: 'Karat',
  description: 'Gold trading and redemption for partners, on Solana',
  lang: 'en',
  head: [icon],
  cacheDir: '../node_modules/.cache/vitepress',
  // Otherwise `.html` is appended to the links to the reference, too.
  cleanUrls: true,
  rewrites: {
    'operations/README.md': 'operations/index.md',
    'reasons/README.md': 'reasons/index.md',
    'errors/README.md': 'errors/index.md',
  },
  // The reference is served by the API itself.
  ignoreDeadLinks: [/^\/(api\/)?docs$/, /^http:\/\/(localhost|127\.0\.0\.1)/],
  metaChunk: true,
  markdown: {
    // The default ones have too little contrast on the background of code.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    config(markdown) {
      // Links to a page follow its rewrite only by its new name.
      markdown.core.ruler.push('links_to_folders', ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null;
          if (href !== null && !/^[a-z]+:/.test(href))
            token.attrSet('href', href.replace(/(^|\/)README\.md(?=#|$)/, '$1index.md'));
        }
      });
      // An empty header cell would be read out as a header.
      markdown.core.ruler.push('empty_headers', ({ tokens }) => {
        for (const [at, { type, content }] of tokens.entries()) {
          const [open, close] = [tokens[at - 1], tokens[at + 1]];
          if (type !== 'inline' || content !== '' || open?.type !== 'th_open' || !close) continue;
          open.tag = 'td';
          close.tag = 'td';
        }
      });
      // A link into the source code means nothing on a site without it: its text stays.
      markdown.core.ruler.push('links_to_source', ({ tokens }) => {
        for (const { children } of tokens) {
          let inside = false;
          for (const token of children ?? []) {
            if (token.type === 'link_open')
              inside = /^(\.\.\/)+(?!operations|docs)/.test(token.attrGet('href') ?? '');
            if (!inside || !token.type.startsWith('link_')) continue;
            if (token.type === 'link_close') inside = false;
            token.type = 'text';
            token.tag = '';
            token.content = '';
          }
        }
      });
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/partner-guide' },
      ...references.map((one) => ({ ...one, target: '_self' })),
    ],
    sidebar: [
      ...sections.map(({ text, items }) => ({
        text,
        items: items.map(({ text, link }) => ({ text, link })),
      })),
    ],
    outline: [2, 3],
    search: { provider: 'local' },
    // Its name has to contain what it shows.
    notFound: { linkLabel: 'Take me home' },
  },
  // esbuild does not translate to the old browsers that Vite 5 names by default.
  vite: { build: { target: 'es2022' } },
  buildEnd({ outDir, srcDir, pages }) {
    const listed = sections.map(({ text, items }) => {
      const lines = items.map(
        ({ text, link, about }) => `- [${text}](${link.replace(/([^/])$/, '$1.html')}): ${about}`,
      );
      return `## ${text}\n\n${lines.join('\n')}\n`;
    });
    const apis = [
      '- [Partner API](/openapi.json): OpenAPI 3.1, with samples in TypeScript, Python and Go',
      '- [Tradebook API](/api/openapi.json): OpenAPI 3.1',
    ];
    const more = Object.entries(errorFolders).map(([folder, title]) => {
      const links = pages
        .filter((page) => page.startsWith(`${folder}/`) && !/(index|README)\.md$/.test(page))
        .map((page) => `- [${page.slice(folder.length + 1, -3)}](/${page.replace(/md$/, 'html')})`);
      return `\n## ${title}\n\n${links.join('\n')}\n`;
    });
    writeFileSync(
      join(outDir, 'llms.txt'),
      `# Karat\n\n> Gold trading and redemption for partners, on Solana.\n\n## Reference\n\n${apis.join('\n')}\n\n${listed.join('\n')}${more.join('')}`,
    );
    const whole = ['first-trade.md', 'partner-guide.md', 'tradebook-guide.md', 'transactions.md']
      .map((name) => join(srcDir, name))
      .filter((path) => existsSync(path))
      .map((path) => withCode(srcDir, readFileSync(path, 'utf8')));
    writeFileSync(join(outDir, 'llms-full.txt'), whole.join('\n\n'));
    for (const file of files.filter((one) => existsSync(join(srcDir, one))))
      cpSync(join(srcDir, file), join(outDir, file), { recursive: true });
  },
});
