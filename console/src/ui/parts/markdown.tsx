import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { OuterLink } from './outer-link';

// Of what is written only these elements come out: no HTML, no images, links that ask first.
const COMPONENTS: Components = {
  a: ({ href, children }) => <OuterLink href={href ?? ''}>{children}</OuterLink>,
  img: ({ src, alt }) => (
    <OuterLink href={typeof src === 'string' ? src : ''}>
      [image: {alt || 'no description'}]
    </OuterLink>
  ),
  // Below the headings of the page.
  h1: ({ children }) => <h3 className="markdown-h1">{children}</h3>,
  h2: ({ children }) => <h4 className="markdown-h2">{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
  table: ({ children }) => (
    <div className="markdown-table" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <span>{checked ? '☑ ' : '☐ '}</span>,
};

/** To be loaded with `lazy`. HTML in the text is shown as the text it is. */
export default function MarkdownText({ text }: { readonly text: string }) {
  return (
    <div className="markdown">
      <Markdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
        {text}
      </Markdown>
    </div>
  );
}
