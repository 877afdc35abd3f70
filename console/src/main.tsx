import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/client';
import { router } from './app/router';
import { beginTheme } from './ui/theme';
import './style/base.css';
import './style/layout.css';
import './style/parts.css';

const nonce = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content;
// For the style that dialogs add while they are open.
if (nonce !== undefined) setNonce(nonce);
beginTheme();
createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
