import pg from "pg";
import { connect } from "../../../src/database/connect.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { createCallbackJob } from "./callback-job.ts";
import { outletAsDocumented } from "./outlet-as-documented.ts";
import { outletWithOurLevers } from "./outlet-with-our-levers.ts";

/** What a job queue's process is started with. */
export interface QueueOptions {
  databaseUrl: string;
  providerUrl: string;
  snsUrl: string;
  /** With all that makes the relay fast; else as the queue's documentation shows it. */
  levers: boolean;
}

const STORING_CONNECTIONS = 6;

/** What a queue runs for a callback, and the pool of so many connections that it does as documented. */
export function startQueueJob({ databaseUrl, providerUrl, snsUrl, levers }: QueueOptions, max: number) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max, options: "-c timezone=UTC" });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const storing = connect(new Secret(databaseUrl), { max: STORING_CONNECTIONS, purpose: "hot" });
  const outlet = levers
    ? outletWithOurLevers({ db: storing.db, snsUrl, shared: true })
    : outletAsDocumented(pool, snsUrl);
  return {
    pool,
    run: createCallbackJob({ providerUrl, connections: 64, outlet }),
    close: async () => {
      await pool.end();
      await storing.close();
    },
  };
}
