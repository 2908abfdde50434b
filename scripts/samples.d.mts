export interface Sample {
  lang: 'typescript' | 'python' | 'go';
  /** What people call the language. */
  label: string;
  source: string;
}
export const sampleFiles: string[];
export function readSamples(): Record<string, Sample[]>;
