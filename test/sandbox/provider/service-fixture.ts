import { buffer } from "node:stream/consumers";
import { createLogger } from "../../../src/kit/log.ts";
import { Secret } from "../../../src/kit/secret.ts";
import {
  type CollectionServiceOptions,
  startCollectionService,
} from "../../../src/sandbox/provider/start-collection-service.ts";
import { createEmptyTestDatabase } from "../../support/database.ts";
import { startServer } from "../../support/own-server.ts";

// The tests' own copy of what the seed file holds and of what answers look like: nothing of the contract.
export const LIVE_KEY = "live_local_4f1c0d7e9a2b48d3b6e5";
export const TEST_KEY = "test_local_93b7e2c1f0a84d56a7c8";
export const OPEN_AMOUNT = "c0113c70-0000-4000-8000-000000000001";
export const FIXED_AMOUNT = "c0113c70-0000-4000-8000-000000000002";
export const SHARED = "c0113c70-0000-4000-8000-000000000003";
export const DISABLED = "c0113c70-0000-4000-8000-000000000004";
export const ACCOUNT_A = "7a1b2c3d-0000-4000-8000-000000000001";
export const ACCOUNT_B = "7a1b2c3d-0000-4000-8000-000000000002";
export const NOBODY = "00000000-0000-4000-8000-00000000dead";

export const INVOICE = {
  collectionId: OPEN_AMOUNT,
  title: "Second term",
  payerName: "Ngozi Bello",
  payerEmail: "ngozi@example.com",
  payerPhoneNumber: "+2348012345678",
  billerMetaData: { student: "17" },
  amount: 1500.5,
};

/** Whatever JSON came: the tests say what they expect of it. */
export type Body = ReturnType<typeof JSON.parse>;

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

export type TestService = Awaited<ReturnType<typeof startTestService>>;

export async function startTestService(options: Partial<CollectionServiceOptions> = {}) {
  const database = await createEmptyTestDatabase();
  const start = (more: Partial<CollectionServiceOptions>) =>
    startCollectionService({
      databaseUrl: new Secret(database.url),
      port: 0,
      log: createLogger({ level: "silent" }),
      ...options,
      ...more,
    });
  let running = await start({});
  /** A call of the API as any HTTP client makes it. */
  const api = (method: string, path: string, body?: unknown, key: string | null = LIVE_KEY) =>
    call(`${running.url}${path}`, method, body, key === null ? {} : { "x-api-key": key });
  return {
    get url() {
      return running.url;
    },
    database,
    api,
    /** A call of the control side, below `/_control`. */
    control: (method: string, path: string, body?: unknown) =>
      call(`${running.url}/_control${path}`, method, body),
    /** Creates an invoice. @returns its id. */
    async create(fields: Record<string, unknown> = {}): Promise<string> {
      const reply = await api("POST", "/api/v1/invoices", { ...INVOICE, ...fields });
      if (reply.status !== 200) throw new Error(`Create Invoice: ${reply.text}`);
      return reply.body.data.id;
    },
    async restart(more: Partial<CollectionServiceOptions> = {}) {
      await running.close();
      running = await start(more);
    },
    async close() {
      await running.close();
      await database.drop();
    },
  };
}

/** Any value but text goes as JSON; text goes as it stands. */
export async function call(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let parsed: Body;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  return { status: response.status, headers: response.headers, text, body: parsed };
}

export interface Received {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A merchant's callback address that keeps what it gets; `answer` says what it answers, 200 if nothing. */
export async function startReceiver(
  answer: (nth: number) => { status: number; headers?: Record<string, string> } = () => ({ status: 200 }),
) {
  const received: Received[] = [];
  const server = await startServer(async (request, response) => {
    const { method = "", url = "", headers: sent } = request;
    received.push({ method, url, headers: sent, body: await buffer(request) });
    const { status, headers = {} } = answer(received.length);
    response.writeHead(status, headers).end("ok");
  });
  return { url: `${server.url}/callbacks/merchant`, received, close: server.close };
}
