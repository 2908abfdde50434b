const base = document.querySelector<HTMLMetaElement>('meta[name="karat-explorer"]')?.content ?? '';

/** Returns the explorer's page about a transaction or an account; undefined where the service names no explorer. */
export function explorerUrl(kind: 'tx' | 'address', id: string): string | undefined {
  if (!URL.canParse(base)) return undefined;
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${kind}/${id}`;
  return url.href;
}
