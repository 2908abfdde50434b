import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';
import { text } from '../text';

const gold: MantineColorsTuple = [
  '#fbf7ec',
  '#f3e9cd',
  '#e9d6a0',
  '#dfc270',
  '#d9b451',
  '#c99a2c',
  '#a97d1c',
  '#7d5a10',
  '#664a0d',
  '#4e380a',
];
const gray: MantineColorsTuple = [
  '#fafaf9',
  '#f5f4f2',
  '#e9e6e2',
  '#d8d4cf',
  '#b5b0ab',
  '#8a8480',
  '#696460',
  '#57534e',
  '#3a3633',
  '#1c1917',
];
const dark: MantineColorsTuple = [
  '#e7e5e4',
  '#c9c5c1',
  '#aba6a1',
  '#8f8984',
  '#44403c',
  '#332f2c',
  '#262220',
  '#1d1a18',
  '#161311',
  '#0f0d0c',
];

/** What stands on the accent has to be read in both schemes, whose accents differ. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const isAccent = input.variant === 'filled' && (input.color ?? 'gold') === 'gold';
  return isAccent ? { ...colors, color: 'var(--mantine-primary-color-contrast)' } : colors;
};

export const theme = createTheme({
  colors: { gold, gray, dark },
  primaryColor: 'gold',
  primaryShade: { light: 7, dark: 4 },
  variantColorResolver,
  respectReducedMotion: true,
  autoContrast: true,
  luminanceThreshold: 0.35,
  black: '#1c1917',
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  defaultRadius: 'md',
  radius: { sm: '6px', md: '8px', lg: '14px' },
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.125rem', xl: '1.375rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '2rem', lineHeight: '1.15' },
      h2: { fontSize: '1.1875rem', lineHeight: '1.3' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  components: {
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': text.common.close } } },
    Button: { defaultProps: { size: 'sm' } },
    Modal: { defaultProps: { radius: 'lg', centered: true, overlayProps: { backgroundOpacity: 0.45 } } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', comboboxProps: { withinPortal: true } } },
  },
});

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--karat-canvas': '#faf9f7',
    '--karat-line': '#e7e3dd',
    '--karat-ink': '#1c1917',
    '--karat-soft': '#f4f1ec',
    '--karat-accent-soft': '#f7efd9',
    '--mantine-color-dimmed': '#696460',
    '--mantine-color-placeholder': '#78726d',
    '--mantine-color-error': '#b42318',
    '--karat-link': '#7d5a10',
    '--karat-good': '#1d6b45',
    '--karat-warn': '#8a4b06',
    '--karat-bad': '#b42318',
    '--karat-calm': '#3c5a80',
  },
  dark: {
    '--mantine-color-body': '#1d1a18',
    '--karat-canvas': '#141210',
    '--karat-line': '#332f2c',
    '--karat-ink': '#f5f4f2',
    '--karat-soft': '#262220',
    '--karat-accent-soft': '#382d14',
    '--mantine-color-dimmed': '#aba6a1',
    '--mantine-color-placeholder': '#9a948f',
    '--mantine-color-error': '#ff8f85',
    '--karat-link': '#d9b451',
    '--karat-good': '#6fcf9c',
    '--karat-warn': '#f0b060',
    '--karat-bad': '#ff8f85',
    '--karat-calm': '#9bbcea',
  },
});
