import type { Type } from '@nestjs/common';
import type { Page } from '../page.js';
import { Shown } from './fields.js';

const PAGES = new Map<Type, Type<Page<unknown>>>();

/** The class of a page of these items: `KeyPageDto` for `KeyDto`. */
export function PageType<T extends object>(item: Type<T>): Type<Page<T>> {
  let page = PAGES.get(item) as Type<Page<T>> | undefined;
  if (page === undefined) {
    page = newPage(item);
    PAGES.set(item, page);
  }
  return page;
}

function newPage<T extends object>(item: Type<T>): Type<Page<T>> {
  class PageDto implements Page<T> {
    @Shown.Nested(() => item, { list: true })
    readonly items!: readonly T[];

    @Shown.Text({ nullable: true })
    readonly nextCursor!: string | null;
  }
  Object.defineProperty(PageDto, 'name', { value: item.name.replace(/Dto$/, 'PageDto') });
  return PageDto;
}
