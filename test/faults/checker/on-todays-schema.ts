import type pg from "pg";

/**
 * Until the outbox has a table of its own: views of this session that show the older schema as the newer one.
 * To be deleted with that change, with its one caller.
 */
export async function onTodaysSchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query("select to_regclass('public.outbox') is null as older");
  if (rows[0].older !== true) return;
  await client.query(`
    create temp view outbox as
      select source, id as event_id, state, due_at, claimed_until from public.event where state <> 'published';
    create temp view publication as
      select event.source, sent.event_id, topic_arn, message_id, sent.published_at, replay_id
      from public.publication as sent join public.event on event.id = sent.event_id;`);
}
