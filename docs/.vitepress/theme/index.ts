import { inBrowser, onContentUpdated, type Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import './style.css';

/** How much less pages count in the search than guides: what is only looked up comes after what explains. */
const ranks: [RegExp, number][] = [
  [/^\/conformance/, 0.1],
  [/^\/(architecture|dependencies|indexing|performance|processes|program|changes)/, 0.3],
  [/^\/(operations|operator-guide|going-live|console)/, 0.5],
  [/^\/(errors|reasons)\//, 0.2],
];

const boostDocument = (page: string) => ranks.find(([pattern]) => pattern.test(page))?.[1] ?? 1;

const storedLanguage = 'karat-language';

/** Shows a language in every group of code that has it. */
function showLanguage(language: string): void {
  for (const group of document.querySelectorAll('.vp-code-group')) {
    const languages = [...group.querySelectorAll('label')].map(({ textContent }) => textContent);
    const shown = languages.indexOf(language);
    const input = group.querySelectorAll('input')[shown];
    if (input === undefined) continue;
    input.checked = true;
    const blocks = group.querySelector('.blocks')?.children ?? [];
    for (const [index, block] of [...blocks].entries()) block.classList.toggle('active', index === shown);
  }
}

/** Shows a language that a reader chooses in one group of code in all of them; what the reader looks at stays where it is. */
function followChoice({ target }: Event): void {
  if (!(target instanceof HTMLInputElement) || !target.matches('.vp-code-group input')) return;
  const language = target.labels?.[0]?.textContent ?? '';
  localStorage.setItem(storedLanguage, language);
  const top = () => target.getBoundingClientRect().top;
  const before = top();
  showLanguage(language);
  scrollBy(0, top() - before);
}

/** Gives the start the landmark that other pages have. */
function markMain(): void {
  document.querySelector('.VPContent:not(:has(main))')?.setAttribute('role', 'main');
}

export default {
  extends: DefaultTheme,
  // Not in the configuration: functions in it are made of text in the browser, which the policy of the pages forbids.
  enhanceApp({ siteData }) {
    siteData.value.themeConfig.search.options = {
      miniSearch: { searchOptions: { boostDocument } },
      // The name of the button has to contain what it shows, which is its key as well.
      translations: { button: { buttonText: 'Search ', buttonAriaLabel: 'Search K' } },
    };
    if (inBrowser) addEventListener('change', followChoice);
  },
  setup() {
    onContentUpdated(() => {
      showLanguage(localStorage.getItem(storedLanguage) ?? '');
      markMain();
    });
  },
} satisfies Theme;
