// An HTTP endpoint behind an SNS subscription, remembering what it handled in its own Postgres.
//
//   npm install ./invoice-relay-events-0.1.0.tgz pg
//   TOPIC_ARN=arn:aws:sns:… DATABASE_URL=postgres://… node http-consumer.ts
//
// Then subscribe its public https address: subscribe.ts. Leave raw message delivery off: without the
// envelope there is no signature. For a local SNS set SNS_ORIGIN to its address, such as
// http://127.0.0.1:4002.
import { createServer, type IncomingMessage } from "node:http";
import { confirmSubscription, InvoicePaidError, parseInvoicePaid } from "invoice-relay-events";
import pg from "pg";

const { TOPIC_ARN = "", DATABASE_URL = "", SNS_ORIGIN, PORT = "3000" } = process.env;
const trust = { topicArns: [TOPIC_ARN], trustedOrigins: SNS_ORIGIN === undefined ? [] : [SNS_ORIGIN] };

const pool = new pg.Pool({ connectionString: DATABASE_URL });
pool.on("error", (error) => process.stderr.write(`${error.message}\n`));
await pool.query(
  `create table if not exists handled_event (event_id uuid primary key, handled_at timestamptz default now());
   create table if not exists booking (invoice_id uuid primary key, amount numeric not null, payer text)`,
);

/** Books a payment unless its event was handled before: both are written together, or neither. */
const BOOK = `with claimed as (insert into handled_event values ($1) on conflict do nothing returning event_id)
  insert into booking select $2, $3, $4 from claimed`;

/** SNS posts at most 256 KiB, escaped once more. */
const MAX_CHARACTERS = 1024 * 1024;

/** @returns null when it is longer than anything that SNS posts: none of that is kept. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  let body: string | null = "";
  for await (const chunk of request.setEncoding("utf8"))
    body = body === null || body.length + chunk.length > MAX_CHARACTERS ? null : body + chunk;
  return body;
}

/** @returns the status to answer: 2xx ends the delivery, 5xx lets SNS deliver again. */
async function receive(request: IncomingMessage): Promise<number> {
  try {
    const body = await readBody(request);
    if (body === null) return 413;
    if (request.headers["x-amz-sns-message-type"] === "SubscriptionConfirmation") {
      await confirmSubscription(body, trust);
      return 204;
    }
    for (const event of await parseInvoicePaid(body, trust)) {
      const { invoiceId, amount, payer } = event.data;
      const { rowCount } = await pool.query(BOOK, [event.id, invoiceId, amount, payer?.name ?? null]);
      process.stdout.write(`${rowCount === 1 ? "handled" : "duplicate"} ${invoiceId} ${amount}\n`);
    }
    return 204;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof InvoicePaidError && !error.retry ? 400 : 500;
  }
}

const server = createServer(async (request, response) => {
  response.writeHead(await receive(request)).end();
});
server.listen(Number(PORT), () => {
  const address = server.address();
  process.stdout.write(`listening on ${typeof address === "object" ? address?.port : address}\n`);
});
