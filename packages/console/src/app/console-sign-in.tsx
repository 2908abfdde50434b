import { text } from '../text';
import { SignIn } from './sign-in';

/** Where operators sign in. */
export const ConsoleSignIn = () => <SignIn lead={text.signIn.lead} name={text.console} />;
