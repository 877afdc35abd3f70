import { SetMetadata } from '@nestjs/common';

/** Under which it stands whether a handler is recorded in the audit log, where its method does not say it. */
export const IS_AUDITED = 'audited';

/** A handler whose method may change something, and which changes nothing: it leaves no entry in the audit log. */
export const ChangesNothing = (): MethodDecorator => SetMetadata(IS_AUDITED, false);

/** A handler that only reads, and that leaves an entry in the audit log all the same. */
export const AuditedRead = (): MethodDecorator => SetMetadata(IS_AUDITED, true);
