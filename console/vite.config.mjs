import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  // Below whatever path a proxy serves the hub at: the page says what it is relative to.
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/console-pages',
    emptyOutDir: true,
    target: 'es2022',
    // Everything the page loads is a file of its own: the Content-Security-Policy allows nothing in line.
    assetsInlineLimit: 0,
    // Its preloads are added as elements in line otherwise; browsers know `modulepreload`.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // One style sheet, loaded first: a page whose own could not be loaded would fail for good.
    cssCodeSplit: false,
  },
  // `npm run dev -w console` beside a hub at its usual port.
  server: {
    proxy: { '^/(api|a2a|health|metrics|console/session|console/sign-)': 'http://127.0.0.1:4000' },
  },
});
