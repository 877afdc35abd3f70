export { ConsoleModule } from './console.module.js';
export { readDeclaredSignIns } from './sign-in/declared-sign-ins.js';
export { serveConsole } from './pages/console-pages.js';
