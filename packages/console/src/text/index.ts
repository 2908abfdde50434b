import { en } from './en';

/** The texts of every page. A second language is another object of this type. */
export const text = en;
