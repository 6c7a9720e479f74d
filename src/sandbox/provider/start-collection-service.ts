import express from "express";
import { connect, migrateToLatest } from "../../platform/database/index.ts";
import { listen, type RunningServer } from "../../platform/http/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { isUuid, type Secret } from "../../platform/values/index.ts";
import { answerErrors } from "./answers.ts";
import { apiHandler } from "./api.ts";
import { controlRouter } from "./control.ts";
import { DEFAULT_DELIVERY_TERMS, DeliveryLoop, type DeliveryTerms } from "./deliveries.ts";
import { FaultBox } from "./faults.ts";
import { pay } from "./invoices.ts";
import { loadSeed, readKeys } from "./load-seed.ts";
import { parseSeed, readSeed, type SeedInput } from "./seed.ts";
import type { ServiceContext } from "./service-context.ts";
import type { ServiceTables } from "./tables.ts";

export interface CollectionServiceOptions {
  readonly databaseUrl: Secret;
  /** 0 takes a free port. */
  readonly port: number;
  /** The interface to listen on; loopback when left out. */
  readonly host?: string;
  readonly log: Logger;
  /** Where payers reach the service; its address on this machine when left out. */
  readonly publicUrl?: string;
  /** A seed, or the path of a seed file; the seed that comes with the service when left out. */
  readonly seed?: SeedInput | string;
  readonly delivery?: Partial<DeliveryTerms>;
}

/**
 * The Invoice Collection API as a working service: brings its schema up to date, loads the seed, listens,
 * and delivers callbacks, also those that an earlier run left.
 * @throws RelayError when the port is taken, the seed is wrong, or a migration fails.
 */
export async function startCollectionService(options: CollectionServiceOptions) {
  const seed = typeof options.seed === "object" ? parseSeed(options.seed) : await readSeed(options.seed);
  const { db, close } = connect<ServiceTables>(options.databaseUrl, {
    schema: "collection_service",
    applicationName: "collection-service",
    max: 10,
    // A burst waits its turn rather than fail.
    connectTimeoutMs: 30_000,
    onIdleError: (error) => options.log.warn({ err: error.message }, "collection service: connection lost"),
  });
  const app = express().disable("x-powered-by").disable("etag");
  let server: RunningServer | undefined;
  try {
    await migrateToLatest(db, "collection-service");
    await loadSeed(db, seed);
    server = await listen(app, {
      port: options.port,
      host: options.host ?? "127.0.0.1",
      name: "collection-service",
      // Longer than clients keep idle connections: who closes first never cuts off a request that is just
      // leaving.
      server: { keepAliveTimeout: 65_000 },
    });
    const publicUrl = (options.publicUrl ?? server.url).replace(/\/+$/, "");
    const keys = await readKeys(db);
    const terms = { ...DEFAULT_DELIVERY_TERMS, ...options.delivery };
    const deliveries = new DeliveryLoop({ db, publicUrl, terms, log: options.log });
    const context: ServiceContext = {
      db,
      faults: new FaultBox(),
      keys,
      log: options.log,
      publicUrl,
      accountHolder: seed.biller.name,
      wakeDeliveries: () => deliveries.wake(),
    };
    app.use("/_control", controlRouter(context));
    app.get("/pay/:id", (_request, response) => void response.type("html").send(PAY_PAGE));
    app.post("/pay/:id", async ({ params: { id } }, response) => {
      const outcome = isUuid(id) ? await pay(context, id, BY_CARD) : "unknown";
      response.status({ paid: 200, unknown: 404, not_payable: 409 }[outcome]);
      response.type("text/plain").send(`${outcome}\n`);
    });
    app.use(apiHandler(context));
    app.use(answerErrors(options.log));
    const running = server;
    return {
      /** Its address on this machine, the interface's `{base_url}`. */
      url: running.url,
      port: running.port,
      close: async () => {
        await running.close(1_000);
        await deliveries.close();
        await close();
      },
    };
  } catch (error) {
    await server?.close(0);
    await close();
    throw error;
  }
}

/** The page of every `paymentUrl`, which the interface asks for: a POST to the same address pays. */
const PAY_PAGE = `<!doctype html>
<meta name="viewport" content="width=device-width"><title>Pay</title>
<p>A local collection service: no money moves.
<form method="post"><button>Pay</button></form>
`;

const BY_CARD = { method: "Card", copies: 1, readableAfterMs: 0 } as const;
