import { LeasedRows } from "../database/leased-rows.ts";

export const outboxLeases = new LeasedRows("outbox", "event_id");
