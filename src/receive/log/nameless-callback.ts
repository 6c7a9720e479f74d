import { type RawBuilder, sql } from "kysely";

/** A condition: a callback that named no invoice came to the source since that moment. */
export const namelessCallbackSince = (
  source: string,
  moment: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  exists (select from callback
    where callback.source = ${source} and callback.verdict in ('unreadable', 'ping')
      and callback.received_at > ${moment})`;
