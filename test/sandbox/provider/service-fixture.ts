import { createLogger } from "../../../src/platform/log/log.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import {
  type CollectionServiceOptions,
  startCollectionService,
} from "../../../src/sandbox/provider/start-collection-service.ts";
import { createEmptyTestDatabase } from "../../support/database.ts";
import { startReceiver as startAnyReceiver } from "../../support/own-server.ts";

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

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** Whatever JSON came: the tests say what they expect of it. */
  body: ReturnType<typeof JSON.parse>;
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
  /** A call of the control side, below `/_control`. */
  const control = (method: string, path: string, body?: unknown) =>
    call(`${running.url}/_control${path}`, method, body);
  return {
    get url() {
      return running.url;
    },
    ...{ database, api, control },
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
  const { status, headers: answered } = response;
  const text = await response.text();
  try {
    return { status, headers: answered, text, body: JSON.parse(text) };
  } catch {
    return { status, headers: answered, text, body: undefined };
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A merchant's callback address that keeps what it gets. @param status of each answer, 200 when left out */
export async function startReceiver(status?: () => number) {
  const receiver = await startAnyReceiver(status);
  return { ...receiver, url: `${receiver.url}/callbacks/merchant` };
}
