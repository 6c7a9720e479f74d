import { expect } from "vitest";
import { operations } from "../../src/operations/list/list.ts";
import { ownRelay } from "./relay.ts";

export const READER = "reader-token-0123456789abcdef";
export const OPERATOR = "operator-token-0123456789abcd";
export const ADMIN = "admin-token-0123456789abcdef01";

export const ADMIN_TOKENS = `ada:read:${READER},obi:operate:${OPERATOR},eve:admin:${ADMIN}`;

// biome-ignore lint/suspicious/noExplicitAny: what is answered is what the tests look at
type Answer = { status: number; headers: Headers; body: any };

export type AdminApi = Awaited<ReturnType<typeof adminApi>>;

/** A relay whose admin API has a holder of each role. */
export async function adminApi(
  changes: Record<string, string | undefined> = {},
  roles = { http: true, workers: false },
) {
  const { harness, relay } = await ownRelay({ ADMIN_TOKENS, ...changes }, roles);
  const base = relay.opsUrl ?? relay.url;
  type Sent = { headers?: Record<string, string>; body?: unknown };
  /** Asks with these headers alone. */
  const send = async (method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Answer> => {
    const answer = await fetch(`${base}/admin/v1${path}`, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  };
  return {
    harness,
    relay,
    send,
    /** Asks with a bearer token: the admin's, unless another one is given. */
    call: (method: string, path: string, body?: unknown, token = ADMIN) =>
      send(method, path, { headers: { authorization: `Bearer ${token}` }, body }),
  };
}

/** What is answered is what the API's document says of the operation. */
export const fits = (id: string, body: unknown): void =>
  expect(operations.find((one) => one.id === id)?.result.safeParse(body).error, id).toBeUndefined();

/** The cookie that an answer sets, as a browser sends it back; null when it sets none. */
export const cookieIn = ({ headers }: Pick<Answer, "headers">): string | null =>
  headers.get("set-cookie")?.split(";")[0] ?? null;

/** All that a list has, page by page, each page as the API's document says. @param path of a GET, or of a POST with `body` */
export async function allPages<Item>(
  { call }: AdminApi,
  id: string,
  path: string,
  body?: Record<string, unknown>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor === undefined ? "" : `&cursor=${cursor}`;
    const page = await (body === undefined
      ? call("GET", path + query)
      : call("POST", path, { ...body, cursor }));
    expect(page.status, JSON.stringify(page.body)).toBe(200);
    fits(id, page.body);
    items.push(...page.body.items);
    cursor = page.body.next;
  }
  return items;
}
