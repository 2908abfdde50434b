declare module 'virtual:samples' {
  /** Samples of the SDKs by the names of their regions, each in all languages. */
  const samples: Record<
    'createApiKey' | 'createUser' | 'quoteBuy' | 'createWebhookEndpoint' | 'buy',
    { lang: 'typescript' | 'python' | 'go'; label: string; source: string }[]
  >;
  export default samples;
}
