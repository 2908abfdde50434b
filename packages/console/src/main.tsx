import './app/nonce';
import './app/styles';
import { operatorSurface } from './api/operator';
import { installSurface } from './api/surface';
import { ConsoleSignIn } from './app/console-sign-in';
import { pageParts } from './app/page-parts';
import { openPages, pages } from './app/pages';
import { Shell, shellParts } from './app/shell';
import { start } from './app/start';

installSurface(operatorSurface);
start({ basepath: '', SignIn: ConsoleSignIn, Shell, pages, openPages }, [...shellParts, ...pageParts]);
